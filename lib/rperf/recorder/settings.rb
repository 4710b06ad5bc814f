# frozen_string_literal: true

require_relative "../options"
require_relative "../options/pairs"

module Rperf
  module Recorder
    # Validated settings of the recorder: keywords of Rperf::Recorder.start, or a text.
    class Settings
      # A kind of setting: a number within a range, or false.
      Limit = Struct.new(:range, :unit) do
        # The value that a text stands for.
        def parse(text) = Options::Value::Truth.parse(text).then { |value| value == false ? value : number.parse(text) }

        # The value, if it is allowed.
        def check(value, subject) = value == false ? value : number.check(value, subject)

        private

        def number = Options::Value::Number.new(range, "#{unit}; false: none")
      end

      # A kind of setting: classes of exceptions, or their names; in a text with spaces between
      # them. Names are kept, since a class may be loaded again; none for false.
      module Classes
        NAME = /\A[A-Z]\w*(?:::[A-Z]\w*)*\z/

        module_function

        # The value that a text stands for.
        def parse(text) = Options::Value::Truth.parse(text) && text.split(" ")

        # The value, if it is allowed.
        def check(value, subject)
          names = (value == false ? [] : Array(value)).map { |one| one.is_a?(Class) ? one.name : one }
          return names.freeze if names.all? { |name| name.is_a?(String) && NAME.match?(name) }
          raise ArgumentError, "#{subject} must be a class of exceptions or its name, or an Array of these (false: none), not #{Error.shown(value)}"
        end
      end

      # A kind of setting: the ending of a file in a format that rperf writes. The page is excluded,
      # since it is too large for each recording.
      module Ending
        module_function

        # The value that a text stands for.
        def parse(text) = text

        # The value, if it is allowed.
        def check(value, subject)
          known = value.is_a?(String) && Formats::ENDINGS[value.delete_suffix(".gz")]
          return value if known && known != Formats::PAGE
          raise ArgumentError, "#{subject} must be an ending such as .pb.gz, .json.gz or .collapsed, not #{Error.shown(value)}"
        end
      end

      KINDS = {
        window: Options::Value::Number.new(10..600, "seconds"), gc: Limit.new(0.01..60, "seconds"),
        slow: Limit.new(0.001..86_400, "seconds"), stuck: Limit.new(1..86_400, "seconds"), times_p95: Limit.new(1.1..1000, "times its p95"), exception: Classes,
        directory: Options::Value::Path, keep: Options::Value::WholeNumber.new(1..10_000, "recordings"), ending: Ending
      }.freeze
      DEFAULTS = {window: 60, slow: 2.0, stuck: 30, times_p95: false, exception: [].freeze, gc: 0.5, directory: nil, keep: 20, ending: ".pb.gz", mode: :both, frequency: 99, timeline: false}.freeze
      # Ending of files with a timeline, unless another one is given.
      TIMELINE_ENDING = ".json.gz"
      # Directory of recordings when neither a directory is given nor an agent runs.
      DIRECTORY = "tmp/recordings"

      # The absolute path of DIRECTORY, unless a directory is given.
      attr_reader :default_directory

      # Parses "1" or "gc=0.2,directory=tmp/recordings"; nil for "" and "0". Raises ArgumentError.
      def self.from_text(text, subject)
        on = Options::Value::Truth.parse(text)
        return if on == false || text.empty?
        on == true ? new : new(subject, **pairs(text, subject))
      end

      def self.pairs(text, subject)
        Options::Pairs.parse(text) { |part| raise ArgumentError, "#{subject} must be 1, or NAME=VALUE,NAME=VALUE, and has the part '#{part}'" }
                      .transform_keys(&:to_sym)
      end
      private_class_method :pairs

      # subject: source of the settings, for sentences; nil: keywords. Raises ArgumentError with one
      # sentence.
      def initialize(subject = nil, **given)
        @subject = subject
        given.each_key { |name| unknown(name) unless DEFAULTS.key?(name) }
        given = given.compact
        @values = DEFAULTS.merge(given).to_h { |name, value| [name, read(name, value, subject(name))] }
        Options.check_together(@values.slice(:mode, :timeline), naming: ->(name) { subject(name) })
        @values[:ending] = timeline_ending(given) if @values[:timeline]
        @values[:directory] &&= absolute(@values[:directory])
        @default_directory = absolute(DIRECTORY) unless @values[:directory]
        freeze
      end

      # The value of one setting.
      def [](name) = @values.fetch(name)

      # The values of several settings.
      def values_at(*names) = @values.fetch_values(*names)

      private

      # Returns the name of a setting, for sentences.
      def subject(name) = @subject ? "#{@subject}: #{name}" : "#{name}:"

      def read(name, value, subject)
        return Options::Value.read(KINDS[name], value, subject) if KINDS.key?(name) && !value.nil?
        value.is_a?(String) ? Options.parse(name, value, subject) : value && Options.check(name, value, subject)
      end

      def absolute(path) = Options::Value::Path.absolute(path, subject(:directory))

      def timeline_ending(given)
        return TIMELINE_ENDING unless given.key?(:ending)
        ending = @values[:ending]
        return ending if Formats::WITH_MOMENTS.include?(Formats.for(ending, timeline: true))
        raise ArgumentError, "#{subject(:ending)} #{ending} has no room for a timeline: use .json.gz, .firefox.json.gz or " \
          ".speedscope.json.gz, or leave out timeline"
      end

      def unknown(name)
        hint = Suggestion.clause(name, DEFAULTS.keys)
        hint = "; it has #{DEFAULTS.keys.join(", ")}" if hint.empty?
        raise ArgumentError, "#{"#{@subject}: " if @subject}the recorder has no setting #{Error.shown(name)}#{hint}"
      end
    end
  end
end
