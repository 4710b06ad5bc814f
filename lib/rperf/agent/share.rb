# frozen_string_literal: true

require "digest/sha2" # All of it: Digest loads a part when it is first named.

module Rperf
  class Agent
    # Chooses the processes that record where not all do: by chance, anew each day.
    class Share
      # part: from 0 to 1; instance: a text that differs between processes
      def initialize(part, instance)
        @part = part
        @instance = instance
      end

      # Whether this process records on the day of this moment.
      def chosen?(time = Time.now)
        @part >= 1 || Digest::SHA256.digest("#{@instance} #{time.utc.strftime("%F")}").unpack1("Q") < @part * 2**64
      end
    end
  end
end
