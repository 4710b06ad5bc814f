# frozen_string_literal: true

module Rperf
  class Options
    # Which settings belong to which modes.
    module Modes
      # Those that sample time, at ticks.
      TIMED = %i[cpu wall].freeze
      # Those that sample objects, by the values of their settings where none is given.
      OBJECTS = {alloc: {interval: 500}}.freeze
      # Settings of ticks, and what they are off by.
      OF_TICKS = {frequency: nil, signal: nil, native: false, timeline: false}.freeze

      module_function

      # Raises ArgumentError with one sentence where a setting was given that the mode has no use
      # for.
      # given: the settings that were, by name
      def check(mode, given)
        others = TIMED.include?(mode) ? [] : OF_TICKS.keys.reject { |name| [nil, OF_TICKS[name]].include?(given[name]) }
        refuse(others.first, TIMED, mode) if others.any?
        %i[interval watch].each { |name| refuse(name, OBJECTS.keys, mode) if given[name] && !OBJECTS.key?(mode) }
      end

      # The settings without those that the mode has no use for, and with its own.
      def fit(values)
        mode = values.fetch(:mode)
        return values if TIMED.include?(mode)
        values.merge(OF_TICKS.slice(*values.keys), OBJECTS.fetch(mode, {})) { |name, given, own| OF_TICKS.key?(name) ? own : given || own }
      end

      def refuse(setting, modes, mode)
        raise ArgumentError, "#{setting}: (--#{setting}) belongs to the mode#{"s" if modes.length > 1} #{modes.join(" and ")}, " \
          "not to #{mode}: leave it out, or choose another mode"
      end
      private_class_method :refuse
    end
  end
end
