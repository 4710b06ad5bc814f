# frozen_string_literal: true

require_relative "errors"
require_relative "native"

module Rperf
  # The program's own kinds of waits in some methods: see Rperf.classify_wait.
  module WaitKinds
    # A method's name as in reports, or the beginning of the names of all methods of a class.
    METHOD = /\A[[:upper:]][^\n\u{fffd}]*[#.:][^\n\u{fffd}]*\z/
    KIND = /\A[a-z][a-z0-9_]{0,29}\z/
    # Maximum number of characters of a method's name.
    LONGEST = 300
    private_constant :METHOD, :KIND, :LONGEST

    class << self
      # Adds kinds of waits. Raises ArgumentError with one sentence.
      def add(kinds)
        refuse("the kinds of waits must be a Hash from methods to kinds", kinds) unless kinds.is_a?(Hash)
        return if Native.add_wait_kinds(kinds.to_h { |method, kind| check([method, kind]) })
        raise ArgumentError, "waits in at most #{Native::MOST_WAIT_KINDS} methods can be classified: name a class, such as \"PG::Connection#\", " \
          "for all of its methods"
      end

      # Returns the method and the kind of an option of the command line.
      def parse(text) = text.include?("=") ? text.rpartition("=").values_at(0, 2) : [text, ""]

      # Returns the method and the kind as Strings. Raises ArgumentError with one sentence.
      # written: the option that has them, on a command line
      def check((method, kind), written = nil)
        [check_method(method), check_kind(kind)]
      rescue ArgumentError => error
        raise ArgumentError, [*("#{written} takes METHOD=KIND" if written), error.message].join(": ")
      end

      private

      def check_method(method)
        name = UTF8.of(method) if method.is_a?(String)
        return name if name && name.length <= LONGEST && METHOD.match?(name)
        refuse("a method whose waits are classified must be a String as reports name it, such as \"PG::Connection#exec\", or a class " \
               "with \"#\", \".\" or \"::\" behind it", method)
      end

      def check_kind(kind)
        name = UTF8.of(kind.to_s) if kind.is_a?(Symbol) || kind.is_a?(String)
        return name if name && KIND.match?(name)
        refuse("the kind of a wait must be a name of at most 30 small letters, digits and underscores, such as :database", kind)
      end

      def refuse(rule, value) = raise(ArgumentError, "#{rule}, not #{Error.shown(value)}")
    end
  end
end
