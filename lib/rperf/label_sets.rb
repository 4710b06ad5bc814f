# frozen_string_literal: true

module Rperf
  # The label sets of one session. The native part knows a set as a small number, kept per thread and
  # copied into samples; this table gives the number for a set and the set for a number.
  #
  # Labels come and go with every request, so the way there is short: from the number of the current
  # set and the label that changes to the number of the new set, three hash lookups.
  class LabelSets
    # More sets than this share one overflow set: a label per request must not eat the memory.
    MAX_SETS = 10_000
    # Remembered transitions; beyond this a transition is worked out anew each time.
    MAX_STEPS = 4 * MAX_SETS
    MAX_VALUE_BYTES = 4096
    EMPTY = {}.freeze
    OVERFLOW = {rperf: "more than #{MAX_SETS} label sets"}.freeze

    # How many labellings went to the overflow set.
    attr_reader :overflow_count

    def initialize
      @lock = Mutex.new
      @sets = [EMPTY]
      @ids = {EMPTY => 0}
      @steps = []
      @step_count = 0
      @overflow_count = 0
    end

    # Whether any label was set in this session.
    def used? = @sets.length > 1

    # The frozen Hash for a number.
    def [](id) = @sets[id] || EMPTY

    # All sets, by number.
    def to_a = @sets.dup

    # The number of the set that `id` becomes when `labels` are merged into it (nil removes a key).
    # Empties `labels`: the Hash of a `**labels` parameter is the callee's own, and `shift` is the fastest walk.
    def merge!(id, labels)
      until labels.empty?
        key, value = labels.shift
        id = @steps[id]&.[](key)&.[](value) || step(id, key, value)
      end
      id
    end

    private

    def step(id, key, value)
      @lock.synchronize do
        text = value_text(value)
        target = intern(with(self[id], key.to_sym, text))
        remember(id, key, value, text, target)
        target
      end
    end

    def with(set, key, text)
      text ? set.merge(key => text) : set.except(key)
    end

    # Labels are texts; a damaged or endless one must not reach the formats.
    def value_text(value)
      return if value.nil?
      text = value.to_s
      text = text.byteslice(0, MAX_VALUE_BYTES) if text.bytesize > MAX_VALUE_BYTES
      text = text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace)
      -text.scrub
    end

    def intern(set)
      @ids.fetch(set) do
        set = overflow(set) if @sets.length >= MAX_SETS
        @ids.fetch(set) { add(set.freeze) }
      end
    end

    def overflow(_set)
      @overflow_count += 1
      OVERFLOW
    end

    def add(set)
      @sets << set
      @ids[set] = @sets.length - 1
    end

    # A value that may change later (an Array, say) is no key; a changing String is copied by Hash#[]=.
    def remember(id, key, value, text, target)
      return if @step_count >= MAX_STEPS || @sets.length > MAX_SETS
      return unless value.nil? || value.is_a?(Symbol) || value.is_a?(Integer) || value.equal?(text) || value == text
      by_value = ((@steps[id] ||= {})[key] ||= {})
      by_value[value] = target
      @step_count += 1
    end
  end
end
