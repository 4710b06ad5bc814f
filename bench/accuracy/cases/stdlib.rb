# frozen_string_literal: true

module Accuracy
  module Cases
    # Typical work of programs that use the standard library: sorting, grouping, searching and
    # replacing, in C methods that call blocks.
    class Stdlib < Case
      title "sorting, grouping, regexps"
      ruby_work :sort_words, ns: 1_500_000, body: "(left / 1_000 + 1).times { @words.sort_by { |word| word.reverse } }"
      ruby_work :group_words, ns: 700_000, body: "(left / 1_000 + 1).times { @words.group_by { |word| word[0, 2] } }"
      ruby_work :scan_text, ns: 900_000, body: "(left / 1_000 + 1).times { @text.scan(/\\b[aeiou]\\w+7/) }"
      ruby_work :replace_text, ns: 400_000, body: "(left / 1_000 + 1).times { @text.gsub(/\\d+/) { |digits| digits.succ } }"

      WORDS = 60

      def initialize
        super
        random = Random.new(7)
        @words = Array.new(WORDS) { Array.new(6) { ("a".."z").to_a.sample(random:) }.join + random.rand(100).to_s }
        @text = @words.join(" ")
      end

      def turn
        sort_words
        scan_text
        group_words
        replace_text
      end
    end
  end
end
