# frozen_string_literal: true

module Stress
  module Hazards
    # Signals that the program handles itself, sent from another process.
    class OutsideSignals
      SENDER = 'while kill -USR1 "$1" 2>/dev/null; do sleep 0.003; done'

      def run(end_ns)
        previous = trap("USR1") { @received = @received.to_i + 1 }
        sender = spawn("sh", "-c", SENDER, "sender", Process.pid.to_s)
        wait_and_work until Workloads.monotonic_ns >= end_ns
      ensure
        stop(sender)
        trap("USR1", previous || "DEFAULT")
      end

      def wait_and_work
        Workloads.spin(100_000)
        sleep 0.001
      end

      # The last signal may still be on its way when the sender is gone.
      def stop(sender)
        Process.kill("KILL", sender)
        Process.wait(sender)
        sleep 0.002
      end
    end
  end
end
