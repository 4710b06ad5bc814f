# frozen_string_literal: true

module Rperf
  class Options
    # The form of variables of the environment with several values: "name=value,name=value".
    module Pairs
      # Returns a Hash of Strings. The block is called with a part that has no name or no value, or
      # with a text in a wrong encoding, and must raise.
      def self.parse(text)
        yield text.scrub unless text.valid_encoding?
        text.split(",").to_h do |part|
          name, value = part.split("=", 2).map(&:strip)
          yield part if value.nil? || name.empty?
          [name, value]
        end
      end
    end
  end
end
