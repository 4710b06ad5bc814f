# frozen_string_literal: true

require "rbconfig"

module Accuracy
  # Busy processes of normal priority beside the case.
  module Neighbours
    # It ends with its standard input, so also when the bench is killed.
    PROGRAM = <<~RUBY
      $stdout << "x"
      $stdout.flush
      Thread.new { $stdin.read && exit! }
      number = 0
      number += 1 while true
    RUBY

    # What comes before it for a session of its own. Linux shares the processors among sessions
    # then, as it does among containers (sched(7), "The autogroup feature").
    OWN_SESSION = "Process.setsid\n"

    # Runs the block beside `count` neighbours, yielding their process numbers, and ends them after
    # it.
    def self.beside(count, own_sessions: false)
      neighbours = []
      count.times { neighbours << start(own_sessions) }
      neighbours.each(&:getc)
      yield neighbours.map(&:pid)
    ensure
      neighbours.each { |neighbour| stop(neighbour) }
    end

    # In a process group of its own, or a session: an interrupt from the terminal is for the bench.
    def self.start(own_session)
      program = own_session ? OWN_SESSION + PROGRAM : PROGRAM
      IO.popen([RbConfig.ruby, "--disable=all", "-e", program], "r+", pgroup: own_session ? nil : true)
    end
    private_class_method :start

    def self.stop(neighbour)
      Process.kill(:KILL, neighbour.pid)
      neighbour.close
    end
    private_class_method :stop
  end
end
