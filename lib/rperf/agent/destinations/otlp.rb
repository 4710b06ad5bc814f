# frozen_string_literal: true

require_relative "../../otlp_resource"
require_relative "server"

module Rperf
  class Agent
    module Destinations
      # A receiver of OpenTelemetry's profiles over HTTP: the Collector, or a backend. (The protocol
      # is Alpha: proto 1.10 and 1.11.)
      class OTLP < Server
        PATH = "/v1development/profiles"
        HEADERS = {"Content-Type" => "application/x-protobuf"}.freeze
        GZIP = {"Content-Encoding" => "gzip"}.freeze
        # Attribute that says how the stacks were taken: "poll", or "safepoint" where the layout of
        # this Ruby's memory could not be proved; of objects "direct" or "event".
        SAMPLER = "rperf.sampler"

        # Tag of the field `partial_success` of a response.
        PARTIAL = 0x0a

        # The attributes of the resource.
        def named(_delivery) = @series.resource

        private

        # An address with a path is complete. Other addresses get the path of the protocol.
        def path = @url.path.delete("/").empty? ? super : @url.path

        # A partial success with a message is a refusal; an empty one is a success.
        def heard(answer, body, _response)
          return answer unless answer.kind == :sent && body.getbyte(0) == PARTIAL && body.getbyte(1).to_i.positive?
          Answer.new(kind: :rejected, text: UTF8.of_bytes(body.byteslice(2..)))
        end

        def message(profile, delivery)
          id = [delivery.id.delete("-")].pack("H*")
          given = {**@series.resource, SAMPLER => profile.figures[:engine].to_s}.reject { |_name, value| value == "" }
          [OTLPResource.put(profile, given:, id:).bytes(:otlp, @gzip, false), @gzip ? {**HEADERS, **GZIP} : HEADERS]
        end
      end
    end
  end
end
