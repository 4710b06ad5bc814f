# frozen_string_literal: true

require_relative "errors"
require_relative "utf8"

module Rperf
  # The attributes by which an OpenTelemetry backend distinguishes this process from others: those
  # of OTLP's resource, Strings with Strings or Integers.
  module OTLPResource
    # Variable with attributes, as in OpenTelemetry's SDKs.
    ATTRIBUTES = "OTEL_RESOURCE_ATTRIBUTES"
    SERVICE_NAME = "OTEL_SERVICE_NAME"

    module_function

    # Returns a Native::Profile whose OTLP file has the attributes of the environment and those of
    # `given`, which have priority. Raises ArgumentError with one sentence if `given` is invalid.
    #
    # id: 16 bytes that identify only this profile, or nil
    def put(profile, given: {}, id: nil) = profile.with_resource(of_environment.merge(check(given)), id)

    # Returns the attributes that the environment gives. An invalid variable gives none, and causes
    # one sentence on stderr.
    def of_environment(env = ENV)
      service = env[SERVICE_NAME].to_s
      attributes = parse(env[ATTRIBUTES].to_s)
      service.empty? ? attributes : {**attributes, "service.name" => UTF8.of(service)}
    rescue Error => error
      Error.complain error.message
      service.empty? ? {} : {"service.name" => UTF8.of(service)}
    end

    # Returns the attributes in "key=value,key=value", percent-decoded. Raises Rperf::Error with one
    # sentence.
    def parse(text)
      items = UTF8.of(text).split(",").map(&:strip).reject(&:empty?)
      items.to_h do |item|
        key, value = item.split("=", 2).map(&:strip)
        raise Error, wrong(item) if value.nil? || key.empty? || item.match?(/%(?!\h\h)/)
        [decode(key), decode(value)]
      end
    end
    private_class_method :parse

    # Returns the attributes of a Hash that the program gives. Raises ArgumentError.
    def check(given)
      raise ArgumentError, "resource: must be a Hash, such as {\"service.name\" => \"shop\"}, not #{Error.shown(given)}" unless given.is_a?(Hash)
      given.to_h { |key, value| [checked_key(key), checked_value(key, value)] }
    end
    private_class_method :check

    def checked_key(key)
      return UTF8.of(key.to_s) if (key.is_a?(String) || key.is_a?(Symbol)) && !key.empty?
      raise ArgumentError, "resource: must have names as keys, such as \"service.name\", not #{Error.shown(key)}"
    end
    private_class_method :checked_key

    def checked_value(key, value)
      return UTF8.of(value.to_s) if value.is_a?(String) || value.is_a?(Symbol)
      return value if value.is_a?(Integer) && value.bit_length < 64
      raise ArgumentError, "resource: must have a String or an Integer of 64 bits for #{Error.shown(key)}, not #{Error.shown(value)}"
    end
    private_class_method :checked_value

    def decode(text) = UTF8.of(text.b.gsub(/%(\h\h)/) { $1.hex.chr }.force_encoding(Encoding::UTF_8))
    private_class_method :decode

    def wrong(item)
      "#{ATTRIBUTES} is left out, since it has '#{item[0, 80]}': write key=value,key=value, with %2C for a comma, %3D for " \
        "an equals sign and %25 for a percent sign"
    end
    private_class_method :wrong
  end
end
