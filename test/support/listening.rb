# frozen_string_literal: true

require "socket"
require_relative "waiting"

# Servers of others, as processes.
module Listening
  module_function

  # A port that no program listens at.
  def free_port = TCPServer.new("127.0.0.1", 0).then { |socket| socket.addr[1].tap { socket.close } }

  # Waits until a program listens at the port; fails with what its log says.
  def await_port(port, log)
    Waiting.await(-> { "a server at #{port}: #{File.read(log)}" }) { listens?(port) }
  end

  def listens?(port)
    TCPSocket.new("127.0.0.1", port).close
    true
  rescue Errno::ECONNREFUSED
    false
  end

  # Ends a process by TERM.
  def end_process(pid)
    Process.kill(:TERM, pid)
    Process.wait(pid)
  end
end
