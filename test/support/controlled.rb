# frozen_string_literal: true

require "json"
require "socket"
require_relative "on_terminal"

# Programs that can be controlled, and what is asked of them.
module Controlled
  include OnTerminal

  # Computes in a method of its own for a tenth of the time, beside a thread that waits.
  BUSY = <<~RUBY
    $stdout.sync = true
    def burn = 100.times { Math.sqrt(2.0) }
    puts "ready"
    Thread.new { sleep }.name = "waits"
    loop { 100.times { burn }; sleep 0.006 }
  RUBY

  # Runs a program in a directory of its own while the block runs; yields the program and the
  # directory. `rperf` finds its socket there.
  def controlled(text = BUSY, env: {}, stop: :KILL)
    in_directory do |directory|
      @runtime = {"XDG_RUNTIME_DIR" => directory, "RUBYLIB" => Paths::LIB}
      app = File.dirname(write_file(directory, "app/app.rb", text))
      program = launch(RUBY, "-rrperf", "app.rb", directory: app, env: {**@runtime, "RPERF_CONTROL" => "1", **env})
      program.await_output("ready")
      yield program, directory
    ensure
      end_by_force(program, stop)
    end
  end

  def control(*words, directory:, **options) = rperf(*words.map(&:to_s), directory:, env: @runtime, **options)

  # What rperf prints; fails when it fails.
  def control!(*words, directory:)
    result = control(*words, directory:)
    assert_equal 0, result.code, result.inspect
    result.out
  end

  # What rperf prints on a terminal; fails when it fails.
  def control_on_terminal!(*words, directory:) = on_terminal!(*words, directory:, env: @runtime)

  def status(program, directory:) = JSON.parse(control!("status", program.pid, "--format", "json", directory:), symbolize_names: true)

  def sockets(directory) = Dir.children(File.join(directory, "rperf")).sort

  def socket(program, directory) = File.join(directory, "rperf", "#{program.pid}.sock")

  # What comes back for these bytes, until the other side closes.
  def raw(path, bytes)
    socket = UNIXSocket.new(path)
    socket.write(bytes)
    socket.timeout = LIMIT
    socket.read
  ensure
    socket&.close
  end

  # [status, body] of a request.
  def ask(path, method, target)
    head, body = raw(path, "#{method} #{target} HTTP/1.1\r\nHost: localhost\r\n\r\n").split("\r\n\r\n", 2)
    [head[/\d{3}/].to_i, body.force_encoding(Encoding::UTF_8)]
  end

  private

  def end_by_force(program, signal)
    return unless program
    program.signal(signal)
    program.finish
  rescue Errno::ESRCH
    nil # It has ended.
  end
end
