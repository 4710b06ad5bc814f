# frozen_string_literal: true

require_relative "../../otlp_resource"
require_relative "server"

module Rperf
  class Agent
    module Destinations
      # What takes OpenTelemetry's profiles over HTTP: the Collector, and backends. (The protocol is
      # Alpha: proto 1.10 and 1.11.)
      class OTLP < Server
        PATH = "/v1development/profiles"
        HEADERS = {"Content-Type" => "application/x-protobuf", "Content-Encoding" => "gzip"}.freeze

        # The tag of the field `partial_success` of a response.
        PARTIAL = 0x0a

        private

        # An address with a path is complete.
        def path = @url.path.delete("/").empty? ? super : @url.path

        # A partial success that says something is a refusal; an empty one is a success.
        def heard(answer, body, _response)
          return answer unless answer.kind == :sent && body.getbyte(0) == PARTIAL && body.getbyte(1).to_i.positive?
          Answer.new(kind: :rejected, text: body.byteslice(2..).force_encoding(Encoding::UTF_8).scrub)
        end

        def message(profile, delivery)
          id = [delivery.id.delete("-")].pack("H*")
          [OTLPResource.put(profile, given: @series.resource, id:).bytes(:otlp, true, false), HEADERS]
        end
      end
    end
  end
end
