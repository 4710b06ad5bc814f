# frozen_string_literal: true

require "rbconfig"

module Accuracy
  # Busy processes of normal priority beside the case.
  module Neighbours
    # A neighbour. It ends when its standard input ends, so also when the bench is killed.
    PROGRAM = <<~RUBY
      $stdout << "x"
      $stdout.flush
      Thread.new { $stdin.read && exit! }
      number = 0
      number += 1 while true
    RUBY

    # Code before `PROGRAM` for a session of its own. Linux then shares the processors among
    # sessions, as it does among containers (sched(7), "The autogroup feature").
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

    # Starts it in a process group or session of its own: terminal interrupts are for the bench.
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
