# frozen_string_literal: true

require_relative "support/measured"
require_relative "support/workloads"

# Native functions as leaves: what really ran inside C methods, and under YJIT.
class NativeAccuracyTest < Minitest::Test
  include Measured
  include WorkloadsForPrograms

  # Parts of the time: of what is nearly all of it, and of what is nearly nothing.
  MOST = 0.6
  LITTLE = 0.25
  # Of what is a good part of it on any machine: how the clock is read differs.
  SOME = 0.01

  # For the programs: native leaves below a method, as [[label, file, part of the method's time],
  # ...].
  NATIVE = <<~'RUBY'
    def natives(data, method)
      samples = having(data[:samples], method)
      leaves = samples.select { |frames,| frames.first.path.match?(%r{\A/.*\.so|\A\[}) }
      found = leaves.group_by { |frames,| frames.first }.transform_values { |group| weight(group) }
      found.map { |frame, ns| [frame.label, File.basename(frame.path), ns.fdiv(weight(samples))] }
    end
  RUBY

  def natives_of(code, *flags) = measure(NATIVE + code, *flags)

  def share(found, label: //, file: //)
    found.sum { |name, library, part| name.match?(label) && library.match?(file) ? part : 0 }
  end

  REGEXP = MATCHES + <<~'RUBY'
    data = Rperf.start(mode: :cpu, native: true) { work }
    puts JSON.generate(natives(data, "Object#work"))
  RUBY
  ENGINE = /\A(match_at|onig|find_cache|forward_search|backward_search)/

  {interpreter: INTERPRETER, yjit: YJIT}.each do |name, flags|
    define_method("test_the_regexp_engine_in_the_#{name}") do
      found = natives_of(REGEXP, *flags)
      assert_operator share(found, label: ENGINE, file: /\A(lib)?ruby/), :>=, MOST, found.inspect
    end

    # What the interpreter's loop and compiled code do is the method's own work.
    define_method("test_ruby_code_has_no_native_leaf_in_the_#{name}") do
      found = natives_of(<<~'RUBY', *flags)
        def count
          i = 0
          i += 1 while i < 20_000_000
        end
        data = Rperf.start(mode: :cpu, native: true) { count }
        puts JSON.generate(natives(data, "Object#count"))
      RUBY
      assert_operator share(found), :<=, LITTLE, found.inspect
    end

    # An extension that Ruby does not know: its functions have their own names.
    define_method("test_an_extensions_functions_in_the_#{name}") do
      found = natives_of(<<~RUBY, *flags)
        require #{WORKLOADS.dump}
        def burn = 200.times { Workloads.burn_wall(2_000_000) }
        data = Rperf.start(mode: :cpu, native: true) { burn }
        puts JSON.generate(natives(data, "Object#burn"))
      RUBY
      assert_operator share(found, label: /\Arperf_workloads::/, file: /\Aworkloads\.so\z/), :>=, MOST, found.inspect
    end
  end

  # Compression runs without the GVL, in many short stretches: its time comes from the clock, its
  # function from ticks.
  def test_a_librarys_functions_without_the_gvl
    found = natives_of(<<~'RUBY')
      require "zlib"
      DATA = Random.new(1).bytes(200_000) + "hello world " * 40_000
      def pack = 12.times { Zlib::Deflate.deflate(DATA) }
      data = Rperf.start(mode: :cpu, native: true) { pack }
      puts JSON.generate(natives(data, "Object#pack"))
    RUBY
    # How much of it is copying, by functions of the C library, depends on the machine.
    assert_operator share(found, file: /\Alib[cz]\b/), :>=, MOST, found.inspect
    assert_operator share(found, file: /\Alibz\b/), :>=, MOST / 2, found.inspect
  end

  # A method that meets many ticks before the next safepoint: they are one tick with many
  # instructions.
  def test_one_long_call_has_all_its_functions
    found = natives_of(<<~RUBY)
      require #{WORKLOADS.dump}
      require "zlib"
      def burn = Workloads.burn_thread_cpu(400_000_000)
      DATA = "x" * 100_000_000
      def sum = Zlib.crc32(DATA)
      data = Rperf.start(mode: :cpu, native: true) { burn; 4.times { sum } }
      puts JSON.generate(natives(data, "Object#burn").map { |*leaf, part| [*leaf, part / 2] } +
        natives(data, "Object#sum").map { |*leaf, part| [*leaf, part / 2] })
    RUBY
    assert_operator share(found, file: /\Aworkloads\.so\z/), :>=, MOST / 2, found.inspect
    assert_operator share(found, label: /crc32/, file: /\Alibz\b/), :>=, MOST / 2, found.inspect
  end

  # The kernel's own code in the process (where the clock is read without a system call).
  def test_the_kernels_code
    found = natives_of(<<~'RUBY')
      def watch = 6_000_000.times { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
      data = Rperf.start(mode: :cpu, native: true) { watch }
      puts JSON.generate(natives(data, "Object#watch"))
    RUBY
    assert_operator share(found, label: /clock_gettime/), :>, SOME, found.inspect
  end

  def test_nothing_native_unless_asked_for
    found = natives_of(REGEXP.sub("native: true", "native: false"))
    assert_empty found
  end
end
