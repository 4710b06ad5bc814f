# frozen_string_literal: true

module Rperf
  class Agent
    # A password or a token: a text, an object whose `call` returns it, or a file. Neither `inspect`
    # nor `to_s` shows it.
    class Secret
      def initialize(source)
        @source = source
      end

      # Returns the Secret in a file, which is read at each use, so that it may be replaced.
      def self.file(path) = new(-> { File.read(path) })

      # The text itself, without the end of its line. Raises Rperf::Error where it cannot be read.
      def reveal
        (@source.respond_to?(:call) ? @source.call : @source).to_s.chomp
      rescue StandardError => error
        raise Error, "cannot read the secret: #{error.is_a?(SystemCallError) ? Error.reason(error) : error.message}"
      end

      # Text that does not show the secret.
      def inspect = "#<#{self.class}>"
      alias to_s inspect
    end
  end
end
