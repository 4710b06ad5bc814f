# frozen_string_literal: true

require "socket"
require_relative "../../../bench/workloads/workloads"

module Stress
  # Calls that block for a while in system calls: those of Workloads, which count EINTR themselves,
  # and Ruby's own, of which only the wake-ups of the thread can be seen.
  module Waits
    NS = 100_000_000
    SECONDS = NS / 1e9

    NATIVE = %i[poll select read flock accept connect sleep].freeze

    module_function

    # {name => callable}: waits that hold the GVL.
    def with_gvl = native("with_gvl")

    # {name => callable}: waits that give the GVL up.
    def without_gvl = native("without_gvl").merge(ruby)

    def native(suffix)
      NATIVE.to_h { |call| ["#{call}_#{suffix}", -> { Workloads.public_send("#{call}_#{suffix}", NS) }] }
    end

    def ruby
      { "Kernel#sleep" => -> { sleep SECONDS },
        "Queue#pop" => -> { Queue.new.pop(timeout: SECONDS) },
        "Mutex#lock" => -> { lock_held_by_another_thread },
        "ConditionVariable#wait" => -> { wait_on_condition },
        "Thread#join" => -> { Thread.new { sleep SECONDS }.join },
        "Process.wait" => -> { Process.wait(spawn("sleep", SECONDS.to_s)) },
        "IO.select" => -> { with_pipe { |reader, _writer| IO.select([reader], nil, nil, SECONDS) } },
        "IO#read" => -> { read_from_child },
        "TCPServer#accept" => -> { accept_late_connection } }
    end

    def lock_held_by_another_thread
      mutex = Mutex.new
      held = Queue.new
      holder = Thread.new do
        mutex.synchronize do
          held << true
          sleep SECONDS
        end
      end
      held.pop
      mutex.synchronize { nil }
      holder.join
    end

    def wait_on_condition
      mutex = Mutex.new
      mutex.synchronize { ConditionVariable.new.wait(mutex, SECONDS) }
    end

    def with_pipe
      reader, writer = IO.pipe
      yield reader, writer
    ensure
      reader&.close
      writer&.close
    end

    def read_from_child
      IO.popen(["sleep", SECONDS.to_s], &:read)
    end

    def accept_late_connection
      server = TCPServer.new("127.0.0.1", 0)
      client = Thread.new do
        sleep SECONDS
        TCPSocket.new("127.0.0.1", server.addr[1]).close
      end
      server.accept.close
      client.join
    ensure
      server&.close
    end
  end
end
