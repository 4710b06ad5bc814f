# frozen_string_literal: true

require_relative "server"

module Rperf
  class Agent
    module Destinations
      # Parca: `ProfileStoreService.WriteRaw` by gRPC-web over HTTP
      # (github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md).
      class Parca < Server
        PATH = "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw"
        HEADERS = {"Content-Type" => "application/grpc-web+proto", "X-Grpc-Web" => "1"}.freeze
        # Flag of the part of a body that has the trailers. A part is its flags in one byte, its
        # length in four bytes, and its content.
        TRAILERS = 0x80
        # Kinds of answers by gRPC's status. Any other status says that the profile is refused.
        STATUSES = {0 => :sent, 2 => :once_more, 4 => :later, 5 => :wrong_address, 7 => :unauthorized, 8 => :later,
                    12 => :wrong_address, 13 => :once_more, 14 => :later, 16 => :unauthorized}.freeze
        private_constant :STATUSES

        # The labels of the series.
        def named(delivery) = @series.of(delivery.mode).except("__delta__")

        private

        # Labels that are not sent: also links to traces, of which Parca would make columns.
        def kept = {**super, deny: [*super[:deny], *LINKS]}

        def message(profile, delivery)
          body = Native.write_raw_request(named(delivery), profile.store_pprof)
          [[0, body.bytesize].pack("CN") << body, HEADERS]
        end

        # HTTP always says 200. The trailers, which may be among the headers, have the result.
        def heard(answer, body, response)
          return answer unless answer.kind == :sent
          trailers = response["grpc-status"] ? response : trailers(body)
          status = Integer(trailers["grpc-status"], 10, exception: false) or return Answer.new(kind: :wrong_address, text: "an answer that is none of gRPC")
          text = UTF8.of_bytes(decoded(trailers["grpc-message"].to_s))
          kind = STATUSES.fetch(status, :rejected)
          kind = :too_large if %i[later rejected].include?(kind) && Answer.size?(text)
          Answer.new(kind:, text: "gRPC status #{status} #{text}")
        end

        # Decodes a text; returns it as it is where its percent-encoding is damaged.
        def decoded(text)
          URI.decode_uri_component(text)
        rescue ArgumentError
          text
        end

        def trailers(body)
          at = 0
          while (flags, length = body.byteslice(at, 5).to_s.unpack("CN")) && length
            return lines(body.byteslice(at + 5, length).b) if flags == TRAILERS
            at += 5 + length
          end
          {}
        end

        # Parses lines as in HTTP/1.1, with names in small letters.
        def lines(text) = text.split("\r\n").to_h { |line| line.split(/:\s*/, 2).then { |name, value| [name.to_s.downcase, value.to_s.strip] } }
      end
    end
  end
end
