# frozen_string_literal: true

require_relative "../errors"

module Rperf
  class Agent
    # A password or a token: a text, an object whose `call` returns it, or a file. Neither `inspect`
    # nor `to_s` shows it.
    class Secret
      # What tells it from other secrets, a String: the text itself, or the path of its file; empty
      # for an object with `call`, whose text may change.
      attr_reader :identity

      def initialize(source, identity: source.respond_to?(:call) ? "" : source.to_s)
        @source, @identity = source, identity
      end

      # Returns the Secret in a file, which is read at each use, so that it may be replaced.
      def self.file(path) = new(-> { File.read(path) }, identity: path)

      # The text itself, without the end of its line. Raises Rperf::Error where it cannot be read.
      def reveal
        (@source.respond_to?(:call) ? @source.call : @source).to_s.chomp("\n")
      rescue StandardError => error
        raise Error, "cannot read the secret: #{error.is_a?(SystemCallError) ? Error.reason(error) : error.message}"
      end

      # Text that does not show the secret.
      def inspect = "#<#{self.class}>"
      alias to_s inspect
    end
  end
end
