# frozen_string_literal: true

require "socket"

# Servers of others, as processes.
module Listening
  # Seconds until one answers, on a busy machine.
  LIMIT = 60

  # A port that no program listens at.
  def free_port = TCPServer.new("127.0.0.1", 0).then { |socket| socket.addr[1].tap { socket.close } }

  # Waits until a program listens at the port; fails with what its log says.
  def await_port(port, log)
    finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + LIMIT
    begin
      TCPSocket.new("127.0.0.1", port).close
    rescue Errno::ECONNREFUSED
      raise "nothing listens at #{port}: #{File.read(log)}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish
      sleep 0.02
      retry
    end
  end

  # Ends a process by TERM.
  def end_process(pid)
    Process.kill(:TERM, pid)
    Process.wait(pid)
  end
end
