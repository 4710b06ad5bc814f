# frozen_string_literal: true

require "erb"
require_relative "support/manual_session"

# Code that is compiled anew for each run, and methods of classes that a program makes one after the
# other: a session that kept all of it would grow as long as the program runs.
class CodeTest < Minitest::Test
  include ManualSession

  # Objects of it are one sample each.
  Sampled = Class.new

  # A module whose method is defined again and again.
  module Again; end

  # Takes ticks in all ways.
  def self.tick
    Rperf::Native.tick
    Rperf::Native.tick_from_outside
    Sampled.new
  end

  # The name of each way to run code; its last frame in Ruby.
  RUNS = {
    evaluated: ["<compiled>", -> { TOPLEVEL_BINDING.eval("[1].each { CodeTest.tick }") }],
    evaluated_in_a_file: ["<compiled>", -> { TOPLEVEL_BINDING.eval("CodeTest.tick", "template.rb", 3) }],
    template: ["<compiled>", -> { ERB.new("<% [1].each do %><% CodeTest.tick %>.<% end %>").result }],
    compiled: ["<compiled>", -> { RubyVM::InstructionSequence.compile("CodeTest.tick").eval }],
    loaded: ["<top (required)>", -> { load(File.expand_path("support/loaded.rb", __dir__)) }],
    defined_again: ["CodeTest::Again.again", -> { Again.instance_eval("undef again if respond_to?(:again); def again = CodeTest.tick").then { Again.again } }],
    singleton: ["#<Object>.single", -> { Object.new.tap { |object| def object.single = CodeTest.tick }.single }],
    anonymous: ["#<Class>#fresh", -> { Class.new { def fresh = CodeTest.tick }.new.fresh }],
    defined: ["block (3 levels) in <class:CodeTest>", -> { Class.new { define_method(:fresh) { CodeTest.tick } }.new.fresh }]
  }.freeze

  # More methods of the same code than are told apart.
  MANY = 150

  # In the later runs places are met that the first ones did not meet: more of them on a busy
  # machine, where ticks come at any place. If each run had frames of its own, there were MANY more.
  CHANCE = 50

  RUNS.each do |name, (label, run)|
    define_method("test_#{name}") do
      some, more, data = frames_of(run, MANY, MANY, mode: :wall)

      assert_in_delta some, more, CHANCE, "each run has frames of its own"
      assert(stacks(data).any? { |stack| stack.include?(label) }, stacks(data).inspect)
    end

    define_method("test_objects_of_#{name}") do
      some, more, = frames_of(run, MANY, MANY, mode: :alloc, interval: 1)

      assert_in_delta some, more, CHANCE, "each run has frames of its own"
    end
  end

  def test_lines_are_those_of_what_was_compiled_first
    data = session { 3.times { TOPLEVEL_BINDING.eval("\n\nCodeTest.tick", "template.rb", 3) } }
    samples = data[:samples].select { |sample| sample[0].any? { |path,| path == "template.rb" } }
    lines = samples.flat_map { |sample| sample.lines.map { |numbers,| numbers[sample[0].index { |path,| path == "template.rb" }] } }

    assert_equal [5], lines.uniq
  end

  def test_a_method_of_too_many_classes_is_called_as_its_code_is
    data = session do
      MANY.times { |number| self.class.const_set("Made#{number}", Class.new { def made = CodeTest.tick }).new.made }
    end
    labels = stacks(data).flatten.grep(/made\z/).uniq

    assert_equal 101, labels.length, labels.inspect
    assert_includes labels, "CodeTest::Made7#made"
    assert_includes labels, "made"
  end

  # The same places, and instructions of the same length.
  def test_code_with_other_instructions_is_not_taken_for_the_same
    ["one +  two", "one == two"].permutation do |sources|
      leaves = ruby(<<~RUBY, env: {"SOURCES" => sources.join("\n")}).split
        one, two = Array.new(2) { "x" * 4_000_000 }
        profile = Rperf.start(mode: :cpu, frequency: 2000) do
          ENV["SOURCES"].lines(chomp: true).each do |source|
            limit = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) + 0.3
            eval(source, binding, "same.rb", 1) while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < limit
          end
        end
        puts profile[:samples].map { |sample| sample[0][0][1] }
      RUBY

      assert_empty ["String#+", "String#=="] - leaves, sources.inspect
    end
  end

  if GC.respond_to?(:compact)
    # Every 20th run begins with other addresses: such a run has new frames.
    def test_what_was_compiled_first_may_have_names_that_move
      runs = 0
      some, more, = frames_of(-> { GC.compact if ((runs += 1) % 20).zero?; RUNS[:template].last.call }, MANY, MANY, mode: :wall)

      assert_operator more - some, :<, MANY
    end
  end
end
