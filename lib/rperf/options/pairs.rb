# frozen_string_literal: true

module Rperf
  class Options
    # "name=value,name=value", as variables of the environment have it.
    module Pairs
      # As a Hash of Strings. The block is called with a part that has no name or no value, and must
      # raise.
      def self.parse(text)
        text.split(",").to_h do |part|
          name, value = part.split("=", 2).map(&:strip)
          yield part if value.nil? || name.empty?
          [name, value]
        end
      end
    end
  end
end
