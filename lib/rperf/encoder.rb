# frozen_string_literal: true

require_relative "first_use"
require_relative "formats"
require_relative "options/value"

module Rperf
  # Encodes data in one format, for uses other than files: `Rperf::PProf.encode(data)`.
  class Encoder
    # Raises ArgumentError with one sentence if `data` is no data Hash; Rperf::Error in a Ractor
    # other than the main one. use: what it is for
    def self.check(data, use: "save")
      Error.check_ractor("encode")
      raise ArgumentError, "there is no data to #{use}: Rperf.stop returned nil, as no session ran" if data.nil?
      raise ArgumentError, "the data is that of #{data.length} modes: give them one by one" if data.is_a?(Array) && data.any? && data.all?(Hash)
      raise ArgumentError, "the data must be the Hash that Rperf.stop returned, not #{Error.shown(data)}" unless data.is_a?(Hash)
    end

    def initialize(format)
      @format = format
      freeze
    end

    # Returns the content of the file that Rperf.save writes, a String: text in UTF-8, or bytes.
    # Raises like Rperf.save.
    def encode(data)
      Encoder.check(data)
      Formats.bytes(Native::Profile.from_h(data), @format)
    end
  end

  # Encodes for OpenTelemetry: `Rperf::OTLP.encode(data, resource: {"service.name" => "shop"})`.
  class OTLPEncoder < Encoder
    def initialize = super(:otlp)

    # Returns the body of a request to an OpenTelemetry receiver, bytes. Raises like Encoder#encode,
    # and ArgumentError for invalid arguments.
    #
    # resource:   attributes of the resource, names with Strings or Integers, which have priority
    #             over those of OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES
    # profile_id: 16 bytes, not all of them zero, that identify only this profile; a further value
    #             type gets the next id. nil: the receiver may assign one
    # gzip:       whether the bytes are gzipped
    def encode(data, resource: {}, profile_id: nil, gzip: false)
      Encoder.check(data)
      check_id(profile_id)
      Options::Value::Truth.check(gzip, "gzip:")
      FirstUse.prepare { require_relative "otlp_resource" }
      OTLPResource.put(Native::Profile.from_h(data), given: resource, id: profile_id).bytes(:otlp, gzip, false)
    end

    private

    def check_id(id)
      return if id.nil? || (id.is_a?(String) && id.bytesize == 16 && id.b != "\0".b * 16)
      raise ArgumentError, "profile_id: must be a String of 16 bytes that are not all zero, such as SecureRandom.bytes(16), not #{Error.shown(id)}"
    end
  end

  # The encoder of Go's pprof, compressed: bytes.
  PProf = Encoder.new(:pprof)
  # The encoder of collapsed stacks: a text.
  Collapsed = Encoder.new(:collapsed)
  # The encoder of OpenTelemetry's profiles: bytes.
  OTLP = OTLPEncoder.new
  # The encoder of the text report.
  Text = Encoder.new(:text)
end
