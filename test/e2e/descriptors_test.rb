# frozen_string_literal: true

require_relative "../support/program"
require_relative "../support/spent_time"

# Numbers of files that the program closes, or takes for its own: those of rperf are none of them.
class DescriptorsTest < Minitest::Test
  include ProgramSupport

  # As a daemon does that wants no file of its parent.
  CODE = <<~RUBY
    require #{SpentTime::BURNING.dump}
    def busy = Burning.burn(0.3)
    3.upto(256) { |number| IO.for_fd(number).close rescue nil }
    files = Array.new(4) { |number| File.open("file\#{number}", "w+").tap { |file| file.write("x" * 50_000) && file.flush } }
    busy
    at_exit { print files.map { |file| file.write("more") && file.flush && file.rewind && file.read.count("^x") } }
  RUBY

  def test_a_program_that_closes_all_and_opens_others
    %w[cpu wall both].each do |mode|
      in_directory do |directory|
        write_file(directory, "app.rb", CODE)
        result = rperf("record", "-m", mode, "-o", "p.json", "ruby", "app.rb", directory:)
        assert_equal ["[4, 4, 4, 4]", 0], [result.out, result.code], result.err
        data = Rperf.load(Dir[File.join(directory, "p*.json")].min)
        assert_equal :poll, data[:engine]
        assert(data[:samples].any? { |frames,| frames.any? { |frame| frame.label == "Object#busy" } })
      end
    end
  end
end
