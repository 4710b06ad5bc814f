# frozen_string_literal: true

require_relative "../support/controlled"

# Tables on a terminal of 80 columns, of programs with long names.
class NarrowTerminalsTest < Minitest::Test
  include Controlled
  include ProgramSupport::WithoutGems

  def test_the_list_of_processes
    name = "puma: cluster worker 0: #{"shop " * 20}"
    controlled("$0 = #{name.dump}; Rperf.start; $stdout.sync = true; puts 'ready'; sleep") do |program, directory|
      text = control_on_terminal!("ps", directory:)
      assert_fits text
      assert_match(/^ *#{program.pid}  puma: cluster worker 0: .*\u2026  cpu at 1000 Hz for /, text)
      assert_includes control!("ps", directory:), name[0, 100]
    end
  end
end
