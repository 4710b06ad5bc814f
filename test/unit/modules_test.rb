# frozen_string_literal: true

require "minitest/autorun"
require_relative "../support/paths"
require_relative "../support/subprocess"

# Programs look at all modules that there are, and ask them what they are called.
class ModulesTest < Minitest::Test
  # These need other projects, or are scripts of a proof or of a beginning.
  LEFT_OUT = %r{/(?:active_job|autostart|beginning|minitest|open_telemetry|railtie|rspec|sidekiq)\.rb|/railtie/|_proof/|/install\.rb}

  # Prints how many there are, and which of them do not say what Module's own methods say.
  PROGRAM = <<~'RUBY'
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
    files = Dir.glob("rperf/**/*.rb", base: Paths::LIB).grep_v(LEFT_OUT)
    result = Subprocess.run(RbConfig.ruby, "-I", Paths::LIB, "-e", PROGRAM, *files)
    assert_predicate result, :success?, result.report
    count, *wrong = result.stdout.lines(chomp: true)
    assert_operator count.to_i, :>, 200
    assert_empty wrong
  end
end
