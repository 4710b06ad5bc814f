# frozen_string_literal: true

require_relative "response"

module Rperf
  module Web
    # The head of an HTTP/1 request of a browser. A body is not read, since no request here needs
    # one.
    class Request
      # Maximum bytes of a head. Browsers send some hundred bytes, with cookies of other servers on
      # this machine a few thousand.
      MOST_BYTES = 16_384
      CHUNK = 4_096

      LINE = %r{\A([A-Z]{1,20}) (\S+) HTTP/1\.[01]\z}
      FIELD = /\A([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*?)[ \t]*\z/

      # Reads a head from the socket. Raises Refusal for a text that is no request, Deadline::Passed
      # for one that does not come in time, EOFError when the other side closes.
      def self.read(socket, deadline)
        head = String.new
        until (length = head.index(/\r?\n\r?\n/))
          raise Refusal.too_long(head) if head.bytesize >= MOST_BYTES
          head << some(socket, deadline)
        end
        parse(head[0, length])
      end

      # Parses a head, without its empty line.
      def self.parse(head)
        first, *fields = head.split(/\r?\n/)
        method, target = LINE.match(first)&.captures
        raise Refusal.new(400, "this is no HTTP/1.1 request") unless method
        new(method, target, fields.map { |field| FIELD.match(field)&.captures || raise(Refusal.new(400, "a header field is damaged")) })
      end

      def self.some(socket, deadline)
        loop do
          chunk = socket.read_nonblock(CHUNK, exception: false)
          case chunk
          when :wait_readable then deadline.await_readable(socket)
          when nil then raise EOFError
          else return chunk
          end
        end
      end
      private_class_method :parse, :some

      # The method, the path before the "?" of the address, and the query behind it (may be "").
      attr_reader :method, :path, :query

      def initialize(method, target, fields)
        @method = method
        @path, _, @query = target.sub(/#.*/m, "").partition("?")
        @fields = fields
      end

      # The value of a header, by its name; nil when there is none, or more than one.
      def [](name)
        values = @fields.filter_map { |known, value| value if known.casecmp?(name) }
        values.first if values.length == 1
      end

      # Whether the request says that it has a body.
      def body? = !self["transfer-encoding"].nil? || self["content-length"].to_i.positive?

      # Whether only the head of the answer is wanted.
      def head? = method == "HEAD"

      # Whether the method is GET.
      def get? = method == "GET"
    end
  end
end
