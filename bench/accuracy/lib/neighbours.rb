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

    # Runs the block beside `count` neighbours, yielding their process numbers, and ends them after
    # it.
    def self.beside(count)
      neighbours = []
      count.times { neighbours << start }
      neighbours.each(&:getc)
      yield neighbours.map(&:pid)
    ensure
      neighbours.each { |neighbour| stop(neighbour) }
    end

    # In a process group of its own: an interrupt from the terminal is for the bench alone.
    def self.start
      IO.popen([RbConfig.ruby, "--disable=all", "-e", PROGRAM], "r+", pgroup: true)
    end
    private_class_method :start

    def self.stop(neighbour)
      Process.kill(:KILL, neighbour.pid)
      neighbour.close
    end
    private_class_method :stop
  end
end
