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
      # Settings that only these modes have a use for, each with the value that asks for nothing.
      SETTINGS = {
        TIMED => {frequency: nil, signal: nil, native: false, timeline: false},
        %i[wall] => {blame: false},
        OBJECTS.keys => {interval: nil, watch: nil, malloc: false, malloc_interval: nil, native_memory: false},
        %i[heap] => {objects: nil, min_age: nil, gc: true, data_sizes: true}
      }.freeze
      private_constant :SETTINGS

      module_function

      # Whether a session may sample these modes at once: time by one clock or both, and objects.
      def together?(modes)
        others = modes - TIMED
        modes.length > 1 && modes.uniq.length == modes.length && others.length < 2 && (others - OBJECTS.keys).empty?
      end

      # Raises ArgumentError with one sentence if a setting was given that belongs to other modes.
      # given: the settings that were given, by name; naming: see Naming
      def check(modes, given, naming)
        SETTINGS.each do |owners, settings|
          foreign = settings.keys.find { |name| ![nil, settings[name]].include?(given[name]) } unless modes.intersect?(owners)
          refuse(naming.call(foreign), owners, modes) if foreign
        end
        refuse_single_samples(naming.call(:aggregate, "false")) if modes.include?(:heap) && given[:aggregate] == false
      end

      # Whether memory is sampled where it is taken from malloc.
      def malloc?(values) = values.values_at(:malloc, :malloc_interval, :native_memory).any?

      # Raises ArgumentError with one sentence where memory is to be sampled, and not to be.
      def check_malloc(given, naming)
        other = %i[malloc_interval native_memory].find { |name| given[name] } if given[:malloc] == false
        return unless other
        raise ArgumentError, "#{naming.call(other)} samples memory where it is taken from malloc, " \
          "which #{naming.call(:malloc, "false")} rules out: leave out one of the two"
      end

      # Returns the settings for their modes: without the frequency if there are no ticks, and with
      # the defaults of modes that sample objects.
      def fit(values)
        modes = Array(values.fetch(:mode))
        values = values.merge(frequency: nil) if values.key?(:frequency) && !modes.intersect?(TIMED)
        values = values.merge(malloc: true) if malloc?(values)
        values.merge(OBJECTS.fetch((modes & OBJECTS.keys).first, {})) { |_name, given, own| given.nil? ? own : given }
      end

      def refuse(setting, owners, modes)
        raise ArgumentError, "#{setting} belongs to the mode#{"s" if owners.length > 1} #{owners.join(" and ")}, " \
          "not to #{modes.join(" and ")}: leave it out, or choose another mode"
      end
      private_class_method :refuse

      def refuse_single_samples(setting)
        raise ArgumentError, "#{setting} has no meaning in mode heap, where an object's sample changes " \
          "until it dies: leave it out"
      end
      private_class_method :refuse_single_samples
    end
  end
end
