# frozen_string_literal: true

require "minitest/autorun"
require_relative "../support/paths"
require_relative "../support/subprocess"

# The files of lib/ and the modules in them.
class ModulesTest < Minitest::Test
  # These need other projects, or are scripts of a proof or of a beginning.
  LEFT_OUT = %r{/(?:active_job|autostart|beginning|minitest|open_telemetry|railtie|rspec|sidekiq)\.rb|/railtie/|_proof/|/(?:install|unstarted)\.rb}
  FILES = Dir.glob("rperf/**/*.rb", base: Paths::LIB).grep_v(LEFT_OUT).freeze

  # Requires each file in a process of its own, and prints which of them fail.
  ALONE = <<~'RUBY'
    $stdout.sync = true
    ARGV.each do |file|
      Process.wait(fork do
        require file
      rescue NameError => error
        puts "#{file}: #{error.message}"
      ensure
        exit!
      end)
    end
  RUBY

  def test_each_file_can_be_required_alone
    assert_empty run_ruby(ALONE)
  end

  # Programs look at all modules that there are, and ask them what they are called. Prints how many
  # modules there are, and which of them do not say what Module's own methods say.
  NAMES = <<~'RUBY'
    ARGV.each { |file| require file }
    SAID = %i[name to_s hash ancestors instance_methods].to_h { |name| [name, Module.instance_method(name)] }
    modules = ObjectSpace.each_object(Module).select { |mod| SAID[:name].bind_call(mod)&.start_with?("Rperf") }
    wrong = modules.flat_map do |mod|
      asked = SAID.reject { |name, method| (mod.public_send(name) rescue next) == method.bind_call(mod) }
      asked.keys.map { |name| "#{SAID[:name].bind_call(mod)}.#{name}" }
    end
    puts modules.length, wrong
  RUBY

  def test_they_say_what_they_are_called
    count, *wrong = run_ruby(NAMES)
    assert_operator count.to_i, :>, 200
    assert_empty wrong
  end

  private

  # Runs the program with the files as arguments. Returns the lines that it prints.
  def run_ruby(program)
    result = Subprocess.run(RbConfig.ruby, "-I", Paths::LIB, "-e", program, *FILES)
    assert_predicate result, :success?, result.report
    result.stdout.lines(chomp: true)
  end
end
