# frozen_string_literal: true

module Rperf
  class Options
    # "name=value,name=value", as variables of the environment have it.
    module Pairs
      # As a Hash of Strings. The block is called with a part that has no name or no value, or with
      # what is no text at all, and must raise.
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
