# frozen_string_literal: true

require_relative "labels"

module Accuracy
  # Costs of the measured methods by a profile, in ns. A sample belongs to the innermost frame that
  # is a measured method: this covers the method's own work and that of everything it called,
  # synthetic frames ([GC marking], [GVL wait], ...) included, but not the work of measured methods
  # below it. A sample also belongs to the label that its label set has for one key.
  class Attribution
    # samples: arrays of [frames, weight, thread_seq, label_set_id], frames being [path, label],
    # leaf first. one_thread_each: every measured method runs in one thread only; its time in
    # another thread counts as found nowhere. label_sets: Hashes, by number. label_key: the key
    # whose labels are compared.
    def initialize(samples:, measured:, one_thread_each: false, label_sets: [], label_key: nil)
      @samples = samples
      @measured = measured.to_h { |name| [name.to_s, name] }
      @one_thread_each = one_thread_each
      @labels = label_sets.map { |set| set[label_key]&.to_sym }
      @names = Hash.new { |names, label| names[label] = @measured[Labels.bare_name(label)] }
    end

    # {method => ns}, with every measured method.
    def by_method
      @by_method ||= @measured.values.to_h { |name| [name, cost_in(threads_of.fetch(name, {}))] }
    end

    # {method => ns} of the samples that have the label which `homes` names for the method.
    def by_method_at_home(homes)
      found = @measured.values.to_h { |name| [name, 0] }
      @samples.each do |frames, weight, _thread_seq, label_set|
        name = innermost_measured(frames)
        found[name] += weight if name && homes[name] == label(label_set)
      end
      found
    end

    # {label => ns}; samples without the key are under nil.
    def by_label
      @by_label ||= @samples.each_with_object(Hash.new(0)) do |(_frames, weight, _thread_seq, label_set), found|
        found[label(label_set)] += weight
      end
    end

    # {method => {thread_seq => ns}}
    def threads_of
      @threads_of ||= @samples.each_with_object({}) do |(frames, weight, thread_seq), found|
        name = innermost_measured(frames) or next
        threads = found[name] ||= Hash.new(0)
        threads[thread_seq] += weight
      end
    end

    # All weight of the profile, ns.
    def total
      @samples.sum { |_frames, weight| weight }
    end

    # Weight of the samples whose leaf is a synthetic frame with this prefix of its label, ns.
    def synthetic(prefix)
      @samples.sum { |frames, weight| frames.first&.last.to_s.start_with?(prefix) ? weight : 0 }
    end

    private

    def label(label_set) = label_set && @labels[label_set]

    def cost_in(threads)
      return 0 if threads.empty?

      @one_thread_each ? threads.values.max : threads.values.sum
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
