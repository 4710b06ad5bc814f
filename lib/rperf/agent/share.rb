# frozen_string_literal: true

require "digest"

module Rperf
  class Agent
    # Which processes do it where not all do: each day others, by chance, and all day the same.
    class Share
      # part: from 0 to 1; instance: what tells this process from others
      def initialize(part, instance)
        @part = part
        @instance = instance
      end

      # Whether this process does it on the day of this moment.
      def chosen?(time = Time.now)
        @part >= 1 || Digest::SHA256.digest("#{@instance} #{time.utc.strftime("%F")}").unpack1("Q") < @part * 2**64
      end
    end
  end
end
