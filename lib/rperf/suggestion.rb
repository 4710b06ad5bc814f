# frozen_string_literal: true

require_relative "utf8"

module Rperf
  # "Did you mean" for all words that users type: commands, options, modes, formats, keywords.
  module Suggestion
    module_function

    # Returns the candidate nearest to `word`, or nil if none is near.
    def nearest(word, candidates)
      word = UTF8.of(word.to_s).downcase
      return if word.empty?
      begun = candidates.select { |candidate| candidate.to_s.downcase.start_with?(word) }
      return begun.first if begun.length == 1 && word.length > 1
      limit = word.length <= 4 ? 1 : 2
      # The distance is at least the difference of the lengths, and that of long texts takes long.
      near = candidates.select { |candidate| (candidate.length - word.length).abs <= limit }
      scored = near.map { |candidate| [distance(word, candidate.to_s.downcase), candidate] }
      score, best = scored.min_by(&:first)
      best if score && score <= limit
    end

    # Returns the end of a sentence: "; did you mean 'wall'?", or an empty string.
    def clause(word, candidates)
      best = nearest(word, candidates)
      best ? "; did you mean '#{best}'?" : ""
    end

    # Returns the number of edits between two words: insert, delete, replace, swap two neighbours.
    def distance(from, to)
      before_previous = nil
      previous = (0..to.length).to_a
      from.each_char.with_index(1) do |char, row|
        current = [row]
        to.each_char.with_index(1) do |other, column|
          cost = [previous[column] + 1, current[column - 1] + 1, previous[column - 1] + (char == other ? 0 : 1)].min
          if row > 1 && column > 1 && char == to[column - 2] && from[row - 2] == other
            cost = [cost, before_previous[column - 2] + 1].min
          end
          current << cost
        end
        before_previous, previous = previous, current
      end
      previous.last
    end
  end
end
