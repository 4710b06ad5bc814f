# frozen_string_literal: true

require "io/console"
require "pty"
require_relative "program"

# rperf on a terminal.
module OnTerminal
  include ProgramSupport

  # What `rperf` shows on a terminal of 80 columns, without a pager; fails when it fails.
  def on_terminal!(*words, directory:, env: {})
    status = nil
    shown = on_terminal do |writer|
      pid = Process.spawn(clean_environment.merge("PAGER" => "cat", **env), RUBY, "--disable-gems", RPERF, *words.map(&:to_s),
        in: File::NULL, %i[out err] => writer, chdir: directory)
      status = Process.wait2(pid).last
    end
    assert_predicate status, :success?, shown
    shown
  end

  # What a terminal of 80 columns shows of what the block writes to it.
  def on_terminal
    PTY.open do |reader, writer|
      writer.winsize = [24, 80]
      listener = Thread.new { read_all(reader) }
      yield writer
      writer.close
      return listener.value
    end
  end

  # Fails if the terminal breaks a line.
  def assert_fits(text)
    assert_operator text.lines(chomp: true).map(&:length).max, :<=, 80, text
  end

  private

  def read_all(reader)
    shown = +""
    loop { shown << reader.readpartial(4096) }
  rescue Errno::EIO # The end of a terminal.
    shown.force_encoding(Encoding::UTF_8).gsub("\r\n", "\n")
  end
end
