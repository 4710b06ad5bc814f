# frozen_string_literal: true

module Rperf
  class Options
    # Which settings belong to which modes.
    module Modes
      # Those that sample time, at ticks.
      TIMED = %i[cpu wall].freeze
      # Those that sample objects, by the values of their settings where none is given.
      OBJECTS = {
        alloc: {interval: 500},
        heap: {interval: 500, objects: 65_536, min_age: 1, gc: true, data_sizes: true}
      }.freeze
      # Settings of ticks, and what they are off by.
      OF_TICKS = {frequency: nil, signal: nil, native: false, timeline: false}.freeze
      # What the command line calls a setting, where that is another name.
      FLAGS = {objects: "--max-live", min_age: "--min-age", gc: "--no-gc", data_sizes: "--no-data-sizes"}.freeze
      private_constant :FLAGS

      module_function

      # Raises ArgumentError with one sentence where a setting was given that the mode has no use
      # for.
      # given: the settings that were, by name
      def check(mode, given)
        others = TIMED.include?(mode) ? [] : OF_TICKS.keys.reject { |name| [nil, OF_TICKS[name]].include?(given[name]) }
        refuse(others.first, TIMED, mode) if others.any?
        refuse(:watch, OBJECTS.keys, mode) if given[:watch] && !OBJECTS.key?(mode)
        foreign = (OBJECTS.values.flat_map(&:keys).uniq - OBJECTS.fetch(mode, {}).keys).find { |name| ![nil, true].include?(given[name]) }
        refuse(foreign, OBJECTS.select { |_mode, own| own.key?(foreign) }.keys, mode) if foreign
        refuse_single_samples if mode == :heap && given[:aggregate] == false
      end

      # The settings without those that the mode has no use for, and with its own.
      def fit(values)
        mode = values.fetch(:mode)
        return values if TIMED.include?(mode)
        values.merge(OF_TICKS.slice(*values.keys), OBJECTS.fetch(mode, {})) { |name, given, own| OF_TICKS.key?(name) || given.nil? ? own : given }
      end

      def refuse(setting, modes, mode)
        raise ArgumentError, "#{setting}: (#{FLAGS.fetch(setting, "--#{setting}")}) belongs to the mode#{"s" if modes.length > 1} #{modes.join(" and ")}, " \
          "not to #{mode}: leave it out, or choose another mode"
      end
      private_class_method :refuse

      def refuse_single_samples
        raise ArgumentError, "aggregate: false (--no-aggregate) has no meaning in mode heap, where an object's sample changes " \
          "until it dies: leave it out"
      end
      private_class_method :refuse_single_samples
    end
  end
end
