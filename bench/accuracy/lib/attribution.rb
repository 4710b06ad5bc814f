# frozen_string_literal: true

require_relative "labels"

module Accuracy
  # What a profile says that each measured method cost, in ns. A sample belongs to the innermost frame that
  # is a measured method: its own work and that of everything it called, synthetic frames ([GC marking],
  # [GVL wait], ...) included, but not what a measured method below it did.
  class Attribution
    # samples: arrays of [frames, weight, thread_seq], frames being [path, label], leaf first.
    # one_thread_each: every measured method runs in one thread only, and what the profile shows for it in
    # another thread counts as found nowhere.
    def initialize(samples:, measured:, one_thread_each: false)
      @samples = samples
      @measured = measured.to_h { |name| [name.to_s, name] }
      @one_thread_each = one_thread_each
      @names = Hash.new { |names, label| names[label] = @measured[Labels.bare_name(label)] }
    end

    # {method => ns}, with every measured method.
    def by_method
      @by_method ||= @measured.values.to_h { |name| [name, cost_in(threads_of.fetch(name, {}))] }
    end

    # All weight of the profile, ns.
    def total
      @samples.sum { |_frames, weight| weight }
    end

    # Weight whose leaf is a synthetic frame of which the label begins with `prefix`, ns.
    def synthetic(prefix)
      @samples.sum { |frames, weight| frames.first&.last.to_s.start_with?(prefix) ? weight : 0 }
    end

    private

    def cost_in(threads)
      return 0 if threads.empty?

      @one_thread_each ? threads.values.max : threads.values.sum
    end

    # {method => {thread_seq => ns}}
    def threads_of
      @threads_of ||= @samples.each_with_object({}) do |(frames, weight, thread_seq), found|
        name = innermost_measured(frames) or next
        threads = found[name] ||= Hash.new(0)
        threads[thread_seq] += weight
      end
    end

    def innermost_measured(frames)
      frames.each do |_path, label|
        name = @names[label]
        return name if name
      end
      nil
    end
  end
end
