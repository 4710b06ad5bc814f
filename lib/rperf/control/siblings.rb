# frozen_string_literal: true

require_relative "../own_thread"
require_relative "client"

module Rperf
  module Control
    # The other processes of this process's group that listen at a control socket: the workers of
    # its server, and the master. Workers of another server in the group are none of them: each
    # server counts its workers from 0.
    module Siblings
      # Maximum time for the answer of each process, in seconds; all are asked at once.
      PATIENCE = 0.2
      # Last line of a text in OpenMetrics.
      END_OF_TEXT = "# EOF\n"

      class << self
        # Returns the body of each one's answer, the youngest first; nil for one without an answer.
        def ask(path, accept: nil)
          threads = clients.map { |client| OwnThread.start("rperf control") { body(client, path, accept || "*/*") } }
          threads.map(&:value)
        end

        # Joins the metrics of several texts, series by worker: nothing is added up. Of two texts
        # with the same worker (one process is about to replace the other) the first counts.
        def join(texts)
          families = {}
          texts.uniq { |text| text[/worker="([^"]*)"/, 1] }.each { |text| collect(text, families) }
          lines = families.each_value.flat_map { |head, samples| [*head, *samples] }
          lines.join("") << (texts.last.end_with?(END_OF_TEXT) ? END_OF_TEXT : "")
        end

        private

        def clients
          group = Process.getpgrp
          all = Client.all.reverse.select { |client| group(client.pid) == group }
          own = root(Process.pid, pids = all.map(&:pid))
          all.reject { |client| client.pid == Process.pid || !family?(root(client.pid, pids), own, client.pid) }
        end

        # Whether a process with this root belongs to the process whose root is `own`. A root alone
        # may be the worker of a master that does not listen, or another master.
        def family?(root, own, pid) = root == own || (root == pid && parent(root) == parent(own))

        # Returns the first ancestor of a process in an unbroken line of processes that listen.
        def root(pid, pids)
          pid = parent(pid) while pids.include?(parent(pid))
          pid
        end

        # Returns the parent of a process; nil where the system does not say it (proc(5)).
        def parent(pid)
          File.read("/proc/#{pid}/stat")[/.*\) \S (\d+)/m, 1].to_i
        rescue SystemCallError
          nil
        end

        def group(pid)
          Process.getpgid(pid)
        rescue SystemCallError
          nil # It has ended.
        end

        def body(client, path, accept)
          client.request("GET", path, within: PATIENCE, accept:).force_encoding(Encoding::UTF_8)
        rescue StandardError
          nil
        end

        # Collects the lines of a text by family: its description, once, and its samples.
        def collect(text, families)
          head = samples = nil
          text.each_line("\n") do |line|
            next if line == END_OF_TEXT
            next samples << line unless line.start_with?("# ")
            head, samples = families[line.split(" ", 4)[2]] ||= [[], []]
            head << line unless head.include?(line)
          end
        end
      end
    end
  end
end
