# frozen_string_literal: true

module Accuracy
  # Reads collapsed stacks as rbspy writes them: "root - file:line;leaf - file:line count".
  module Collapsed
    # Samples as in rperf's data hash: [[[path, label], ...] leaf first, ns, thread_seq].
    def self.parse(text, ns_per_count:)
      text.each_line.filter_map do |line|
        stack, _space, count = line.chomp.rpartition(" ")
        next if stack.empty?

        [stack.split(";").reverse.map { |frame| frame(frame) }, Integer(count) * ns_per_count, 1]
      end
    end

    def self.frame(text)
      label, _dash, path = text.rpartition(" - ")
      label.empty? ? ["", path] : [path, label]
    end
    private_class_method :frame
  end
end
