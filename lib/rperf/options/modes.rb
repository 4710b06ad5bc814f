# frozen_string_literal: true

module Rperf
  class Options
    # Which settings belong to which modes.
    module Modes
      # Modes that sample time, at ticks.
      TIMED = %i[cpu wall].freeze
      # Modes that sample objects, each with its own settings and their defaults.
      OBJECTS = {
        alloc: {interval: 500},
        heap: {interval: 500, objects: 65_536, min_age: 1, gc: true, data_sizes: true}
      }.freeze
      # Settings of all modes that sample objects. They are off where they are not given.
      OF_OBJECTS = %i[watch malloc malloc_interval native_memory].freeze
      # Settings of ticks, each with the value that turns it off.
      OF_TICKS = {frequency: nil, signal: nil, native: false, timeline: false, blame: false}.freeze
      # Modes in which waits for the GVL are recorded.
      WITH_WAITS = %i[wall].freeze
      # Options of the command line that have another name than their setting.
      FLAGS = {objects: "--max-live", min_age: "--min-age", gc: "--no-gc", data_sizes: "--no-data-sizes", native_memory: "--native-memory",
               malloc_interval: "--malloc-interval"}.freeze
      private_constant :FLAGS

      module_function

      # Whether a session may sample these modes at once: time by one clock or both, and objects.
      def together?(modes)
        others = modes - TIMED
        modes.length > 1 && modes.uniq.length == modes.length && others.length < 2 && (others - OBJECTS.keys).empty?
      end

      # Raises ArgumentError with one sentence where a setting was given that the modes have no use
      # for.
      # given: the settings that were given, by name
      def check(modes, given)
        refuse(:blame, WITH_WAITS, modes) if given[:blame] && !modes.intersect?(WITH_WAITS)
        others = (modes & TIMED).any? ? [] : OF_TICKS.keys.reject { |name| [nil, OF_TICKS[name]].include?(given[name]) }
        refuse(others.first, TIMED, modes) if others.any?
        check_objects(modes, given)
        foreign = (OBJECTS.values.flat_map(&:keys).uniq - of_objects(modes).keys).find { |name| ![nil, true].include?(given[name]) }
        refuse(foreign, OBJECTS.select { |_mode, own| own.key?(foreign) }.keys, modes) if foreign
        refuse_single_samples if modes.include?(:heap) && given[:aggregate] == false
      end

      # Whether memory is sampled where it is taken from malloc.
      def malloc?(values) = values.values_at(:malloc, :malloc_interval, :native_memory).any?

      # Raises ArgumentError with one sentence where memory is to be sampled, and not to be.
      def check_malloc(given)
        other = %i[malloc_interval native_memory].find { |name| given[name] } if given[:malloc] == false
        return unless other
        raise ArgumentError, "#{other}: (#{FLAGS.fetch(other)}) samples memory where it is taken from malloc, " \
          "which malloc: false rules out: leave out one of the two"
      end

      def check_objects(modes, given)
        given = OF_OBJECTS.select { |name| given[name] }
        refuse(given.first, OBJECTS.keys, modes) if given.any? && (modes & OBJECTS.keys).empty?
      end
      private_class_method :check_objects

      # Returns the settings for their modes: without those of other modes, and with defaults.
      def fit(values)
        modes = Array(values.fetch(:mode))
        values = values.merge(OF_TICKS.slice(*values.keys)) if (modes & TIMED).empty?
        values = values.merge(malloc: true) if malloc?(values)
        values.merge(of_objects(modes)) { |_name, given, own| given.nil? ? own : given }
      end

      def of_objects(modes) = OBJECTS.fetch((modes & OBJECTS.keys).first, {})
      private_class_method :of_objects

      def refuse(setting, owners, modes)
        raise ArgumentError, "#{setting}: (#{FLAGS.fetch(setting, "--#{setting}")}) belongs to the mode#{"s" if owners.length > 1} #{owners.join(" and ")}, " \
          "not to #{modes.join(" and ")}: leave it out, or choose another mode"
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
