# frozen_string_literal: true

require_relative "../options"
require_relative "../suggestion"
require_relative "../web/query"

module Rperf
  module Control
    # The parameters of a request, validated. A wrong one raises ArgumentError with one sentence.
    module Parameters
      # Settings of sessions that are started from outside. Those that could write files, ask the
      # program for memory without limit, or use its signals are left to the program.
      SESSION = %i[mode frequency interval watch objects min_age gc data_sizes malloc malloc_interval native_memory lines native blame].freeze
      MAX_FREQUENCY = Options::MAX_FREQUENCY_FROM_OUTSIDE
      # Seconds after which a session ends by itself: by default, and at most.
      SECONDS = 60
      MOST_SECONDS = 600
      # Maximum characters of an unknown name in a sentence.
      LONGEST = 80

      frequency = Options::Value::WholeNumber.new(1..MAX_FREQUENCY, "Hz")
      KINDS = {
        frequency:, format: Options::Value::Name.new { Formats.names }, mode: Options::Value::Name.new { Formats.modes },
        debug: Options::Value::WholeNumber.new(0..2, "1 or 2 for text"), gc: Options::Value::Truth,
        interval: Options::TABLE.fetch(:interval).value, past: Options::Value::Truth, siblings: Options::Value::Truth, reason: Options::Value::Text
      }.freeze
      DEFAULTS = {format: :pprof}.freeze

      class << self
        # Returns the values of these parameters by name, where they were given or have a default.
        # most_seconds: maximum of `seconds`
        def read(query, names, most_seconds: MOST_SECONDS)
          given = named(query, names)
          kinds = {**KINDS, seconds: seconds(most_seconds)}
          DEFAULTS.slice(*names).merge(given.to_h { |name, text| [name, check(name, text, kinds.fetch(name))] })
        end

        # Returns the length of a session in seconds, and its Options.
        def session(query)
          given = named(query, [:seconds, *SESSION])
          seconds = given.delete(:seconds)
          options = given.to_h { |name, text| [name, name == :frequency ? check(name, text, KINDS[name]) : Options.parse(name, text, name.to_s)] }
          [seconds ? check(:seconds, seconds, seconds(MOST_SECONDS)) : SECONDS, Options.from_keywords(options)]
        end

        private

        def seconds(most) = Options::Value::WholeNumber.new(1..most, "seconds")

        def named(query, names)
          Web::Query.decode(query).to_h { |name, text| [names.find { |known| known.name == name } || unknown(name, names), text] }
        end

        def unknown(name, names)
          known = names.empty? ? "none" : names.join(", ")
          name = name.scrub[0, LONGEST]
          raise ArgumentError, "there is no parameter #{name.inspect} here#{Suggestion.clause(name, names)}; there is #{known}"
        end

        def check(name, text, kind) = kind.check(kind.parse(text), name.to_s)
      end
    end
  end
end
