# frozen_string_literal: true

require_relative "native"
require_relative "formats"
require_relative "suggestion"
require_relative "options/modes"
require_relative "options/naming"
require_relative "options/value"
require_relative "options/table"

module Rperf
  # The validated settings of a session. Keywords, environment variables and command line options
  # are all checked here, so they accept the same values and produce the same error messages.
  class Options
    # Makes Options from the keywords of Rperf.start. Raises ArgumentError with one sentence.
    def self.from_keywords(keywords)
      keywords.each_key { |name| unknown_keyword(name) unless TABLE.dig(name, :keyword) }
      new(keywords.to_h { |name, value| [name, check(name, value, "#{name}:")] })
    end

    # Makes Options from the RPERF_* variables of `env`. Raises ArgumentError with one sentence.
    def self.from_env(env)
      given = set_in(env).to_h { |setting| [setting.name, parse(setting.name, env[setting.env], setting.env)] }
      raise ArgumentError, "RPERF_STAT_REPORT=1 needs RPERF_STAT=1: add that, or leave it out" if given[:stat_report] && !given[:stat]
      given[:mode] ||= :wall if given[:stat] # As `rperf stat` has it.
      new({inherit: true, **given}, naming: Naming::VARIABLE)
    end

    # Returns the settings for which the environment has a text.
    def self.set_in(env) = TABLE.values.select { |setting| setting.env && !env.fetch(setting.env, "").empty? }

    # Returns the validated value of a text. `subject` is the name of the option or variable, for
    # messages.
    def self.parse(name, text, subject)
      setting = TABLE.fetch(name)
      check(name, setting.value.parse(text), subject)
    end

    # Returns the validated value. Raises ArgumentError with a sentence that begins with `subject`.
    def self.check(name, value, subject)
      TABLE.fetch(name).value.check(value, subject)
    end

    # Raises ArgumentError with one sentence if settings that are valid one by one contradict each
    # other. given: the settings that are not defaults; naming: see Naming
    def self.check_together(values, given: values, naming: Naming::GIVEN)
      Modes.check(Array(values[:mode]), given, naming) if values[:mode]
      check_malloc(values, given, naming)
      check_output(naming, **values.slice(:output, :mode, :format, :timeline)) if values[:output]
      check_signal(values, naming) if values[:signal] == false
    end

    def self.check_signal(values, naming)
      needs = {native: "a signal", blame: "stacks at the tick"}.find { |name, _| values[name] } or return
      name, need = needs
      raise ArgumentError, "#{naming.call(name, "true")} needs #{need}, which #{naming.call(:signal, "false", "none")} " \
        "rules out: leave out one of the two"
    end
    private_class_method :check_signal

    def self.check_malloc(values, given, naming)
      Modes.check_malloc(given, naming)
      return unless values[:watch] == :event && Modes.malloc?(values)
      raise ArgumentError, "#{naming.call(:malloc, "true")} needs the direct watch, which #{naming.call(:watch, ":event", "event")} rules out: " \
        "leave out one of the two"
    end
    private_class_method :check_malloc

    def self.check_output(naming, output:, mode: nil, format: nil, timeline: false)
      check_stream(output) if mode.is_a?(Array)
      format = Formats.for(output, format, timeline:)
      return if !timeline || Formats::WITH_MOMENTS.include?(format)
      raise ArgumentError, "a file in #{format} has no room for a timeline: write one that ends in .json, " \
        ".html, .firefox.json or .speedscope.json, name such a format (#{Formats::NAMED_BY}), or leave out #{naming.call(:timeline, "true")}"
    end
    private_class_method :check_output

    def self.check_stream(output)
      return unless OutputFile.new(output).special?
      raise ArgumentError, "several modes give a profile each, which '#{output}' cannot take, being no file: name one, or choose one mode"
    end
    private_class_method :check_stream

    def self.unknown_keyword(name)
      known = TABLE.values.select(&:keyword).map(&:name)
      raise ArgumentError, "unknown keyword: #{Error.shown(name)}#{Suggestion.clause(name, known)}"
    end
    private_class_method :unknown_keyword

    def initialize(given, naming: Naming::GIVEN)
      values = TABLE.transform_values(&:default).merge(given)
      self.class.check_together(values, given:, naming:)
      @values = Modes.fit(values).freeze
      freeze
    end

    # Returns the value of one setting.
    def [](name) = @values.fetch(name)

    # Returns the values of several settings.
    def values_at(*names) = names.map { |name| self[name] }

    # Returns whether objects are sampled.
    def objects? = Array(self[:mode]).intersect?(Modes::OBJECTS.keys)

    # Returns the settings that the native part takes.
    def for_native
      native = TABLE.values.select(&:native).to_h { |setting| [setting.name, self[setting.name]] }
      {**native, frequency: self[:frequency] || 0}
    end
  end
end
