# frozen_string_literal: true

module Overhead
  # Ways in which the GVL goes from thread to thread, or is given up and taken back. Each method
  # makes +count+ of these switches.
  module Switches
    KINDS = {
      pass: "Two threads, Thread.pass",
      monitor: "Two threads, a mutex and a condition variable",
      queues: "Two threads, two queues",
      alone: "One thread gives it up and takes it back (a byte written to /dev/null)"
    }.freeze

    module_function

    def pass(count)
      other = Thread.new { (count / 2).times { Thread.pass } }
      (count / 2).times { Thread.pass }
      other.join
    end

    def monitor(count)
      lock = Mutex.new
      changed = ConditionVariable.new
      turn = :there
      take_turns = lambda do |own, others|
        (count / 2).times do
          changed.wait(lock) until turn == own
          turn = others
          changed.signal
        end
      end
      other = Thread.new { lock.synchronize { take_turns.call(:back, :there) } }
      lock.synchronize { take_turns.call(:there, :back) }
      other.join
    end

    def queues(count)
      there = Queue.new
      back = Queue.new
      other = Thread.new { (count / 2).times { back << there.pop } }
      (count / 2).times do
        there << true
        back.pop
      end
      other.join
    end

    def alone(count)
      File.open(File::NULL, "w") { |file| count.times { file.syswrite("x") } }
    end
  end
end
