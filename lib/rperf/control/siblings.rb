# frozen_string_literal: true

require_relative "../own_thread"
require_relative "client"

module Rperf
  module Control
    # The other processes of this process's group that listen at a socket: the workers of its
    # server, and the master.
    module Siblings
      # Seconds that one of them has for its answer; all are asked at once.
      PATIENCE = 0.2
      # What a text ends with that is OpenMetrics.
      END_OF_TEXT = "# EOF\n"

      class << self
        # The body that each of them answers, the youngest first; nil of one that does not.
        def ask(path, accept: nil)
          threads = clients.map { |client| OwnThread.start("rperf control") { body(client, path, accept || "*/*") } }
          threads.map(&:value)
        end

        # The metrics of several texts as one, series by worker: nothing is added up. Of two with
        # the same worker (one is about to be replaced by the other) the first counts.
        def join(texts)
          families = {}
          texts.uniq { |text| text[/worker="([^"]*)"/, 1] }.each { |text| collect(text, families) }
          lines = families.each_value.flat_map { |head, samples| [*head, *samples] }
          lines.join << (texts.last.end_with?(END_OF_TEXT) ? END_OF_TEXT : "")
        end

        private

        def clients
          group = Process.getpgrp
          Client.all.reverse.reject { |client| client.pid == Process.pid || group(client.pid) != group }
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

        # The lines of a text by family: what is said of it, once, and its samples.
        def collect(text, families)
          head = samples = nil
          text.each_line do |line|
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
