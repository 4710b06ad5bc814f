# frozen_string_literal: true

module Stress
  module Hazards
    # Much-used methods and specialised instructions, with blocks in C and in Ruby.
    class Builtins
      TEXT = ("lorem ipsum " * 50).freeze

      def run(end_ns)
        words = TEXT.split
        until Workloads.monotonic_ns >= end_ns
          words.sort_by { |word| [word.size, word] }.group_by(&:size).transform_values(&:tally)
          TEXT.gsub(/[aeiou]/) { |vowel| vowel.upcase } =~ /ZZZ/
          words.each_with_object({}) { |word, seen| seen[word] = (seen[word] || 0) + (1 << 70) }
          format("%s %d", TEXT, words.sum(&:size))
        end
      end
    end
  end
end
