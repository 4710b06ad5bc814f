# frozen_string_literal: true

require_relative "numbers"
require_relative "one_line"

module Rperf
  # A frame of a sample: the frozen pair [path, label]. All samples of a profile share one object
  # for a frame.
  class Frame < Array
    include OneLine

    # The line on which the function starts, an Integer; 0 if unknown.
    attr_reader :start_line

    # The name as it was in (one of) the processes, such as "#<Class:0x00007f3a5c0d1e28>#call", if
    # it differs from the label; otherwise nil.
    attr_reader :raw_label

    def initialize(path, label, start_line = 0, raw_label = nil)
      super([path, label])
      @start_line = start_line
      @raw_label = raw_label
      freeze
    end

    # Returns the file, or a marker such as "<C method>".
    def path = self[0]

    # Returns the name, such as "Integer#times".
    def label = self[1]

    # Returns "#<Rperf::Frame Integer#times (<internal:numeric>)>".
    def inspect = "#<#{self.class} #{label} (#{path})>"
  end

  # A sample: [frames, weight, thread_seq, label_set_id]. The leaf frame comes first; the weight is
  # in nanoseconds, or in the unit of the data's :value_type.
  class Sample < Array
    include OneLine

    # The number of ticks that were merged into this sample, an Integer; if its leaf is the frame of
    # a state, such as "[GVL blocked]", the number of events.
    attr_reader :count

    # The moment of the sample, in nanoseconds since the profile's start; nil without a timeline.
    # Time off the GVL or in the collector ends at this moment.
    attr_reader :moment_ns

    def initialize(frames, weight, thread_seq, label_set_id, count = 1, variants = nil, moment_ns = nil, values = nil)
      super([frames, weight, thread_seq, label_set_id])
      @count = count
      @variants = variants
      @moment_ns = moment_ns
      @values = values
    end

    # Returns the value for each of the data's :value_types, an Array of Integers; only the weight
    # if there is one.
    def values = @values || [self[1]]

    # Returns the same stack by lines: an Array of [lines, weight, count], where lines has one
    # Integer for each frame (0 if unknown). Empty if the profile has no lines.
    def lines
      (@variants || []).map { |packed, weight, count| [packed.unpack("L*"), weight, count] }
    end

    # Returns one line, however deep the stack: "#<Rperf::Sample Kernel#sleep, 12 frames, weight
    # 5,000,000, 5 ticks, thread 1, label set 0>".
    def inspect
      require_relative "native"
      frames, weight, thread_seq, label_set_id = self
      facts = [frames.dig(0, 1), Numbers.counted(frames.length, "frame"), "weight #{Numbers.grouped(weight)}",
               Numbers.counted(count, Native::STATE_FRAMES.include?(frames[0]) ? "event" : "tick"), "thread #{thread_seq}", "label set #{label_set_id}"]
      "#<#{self.class} #{facts.compact.join(", ")}>"
    end
  end
end
