# frozen_string_literal: true

# Work for the processor only: finds the words of a text that are anagrams of each other, and the
# pairs of words that are nearly equal. Run it with
#
#   rperf exec ruby examples/cpu.rb

ALPHABET = ("a".."h").to_a
random = Random.new(42)
words = Array.new(1200) { Array.new(random.rand(4..7)) { ALPHABET.sample(random:) }.join }.uniq

def signature(word) = word.chars.sort.join

def anagrams(words) = words.group_by { |word| signature(word) }.values.select { |group| group.length > 1 }

def edit_distance(from, to)
  previous = (0..to.length).to_a
  from.each_char.with_index(1) do |char, row|
    current = [row]
    to.each_char.with_index(1) do |other, column|
      cost = char == other ? 0 : 1
      current << [previous[column] + 1, current[-1] + 1, previous[column - 1] + cost].min
    end
    previous = current
  end
  previous.last
end

def neighbours(words, sample)
  sample.sum { |word| words.count { |other| edit_distance(word, other) == 1 } }
end

groups = anagrams(words)
near = neighbours(words, words.first(100))
puts "#{words.length} words, #{groups.length} groups of anagrams, #{near} near pairs"
