# frozen_string_literal: true

require_relative "../support/test_helper"
require "zlib"
require "rperf/otlp_resource"

class OTLPResourceTest < Minitest::Test
  def test_the_environment_as_opentelemetry_reads_it
    given = {"OTEL_RESOURCE_ATTRIBUTES" => "deployment.environment.name=prod, team = a%2Cb%3D%25,service.name=x,,empty=", "OTEL_SERVICE_NAME" => "shop"}
    expected = {"deployment.environment.name" => "prod", "team" => "a,b=%", "service.name" => "shop", "empty" => ""}
    assert_equal expected, Rperf::OTLPResource.of_environment(given)
    assert_empty Rperf::OTLPResource.of_environment({})
    assert_equal({"service.name" => "ö"}, Rperf::OTLPResource.of_environment("OTEL_RESOURCE_ATTRIBUTES" => "service.name=%C3%B6"))
  end

  def test_of_a_variable_that_is_wrong_nothing_is_taken
    {"a=1,b" => "b", "a=1,=2" => "=2", "a=50%" => "a=50%", "a=%zz" => "a=%zz"}.each do |text, item|
      out, err = capture_io do
        env = {"OTEL_RESOURCE_ATTRIBUTES" => text, "OTEL_SERVICE_NAME" => "shop"}
        assert_equal({"service.name" => "shop"}, Rperf::OTLPResource.of_environment(env))
      end
      assert_empty out
      assert_equal "rperf: OTEL_RESOURCE_ATTRIBUTES is left out, since it has '#{item}': write key=value,key=value, with %2C for a " \
                   "comma, %3D for an equals sign and %25 for a percent sign\n", err
    end
  end

  def test_arguments_that_make_no_sense
    {
      {resource: []} => "resource: must be a Hash, such as {\"service.name\" => \"shop\"}, not []",
      {resource: {"" => "a"}} => "resource: must have names as keys, such as \"service.name\", not \"\"",
      {resource: {"a" => 1.5}} => "resource: must have a String or an Integer of 64 bits for \"a\", not 1.5",
      {resource: {"a" => 1 << 63}} => "resource: must have a String or an Integer of 64 bits for \"a\", not #{1 << 63}",
      {profile_id: "\0" * 16} => "profile_id: must be a String of 16 bytes that are not all zero, such as SecureRandom.bytes(16), not " +
        "#{("\0" * 16).inspect[0, 80]}...",
      {gzip: "false"} => "gzip: must be true or false, not \"false\"",
      {profile_id: "short"} => "profile_id: must be a String of 16 bytes that are not all zero, such as SecureRandom.bytes(16), not \"short\""
    }.each do |arguments, sentence|
      assert_equal sentence, assert_raises(ArgumentError) { Rperf::OTLP.encode({samples: []}, **arguments) }.message
    end
    assert_match(/there is no data/, assert_raises(ArgumentError) { Rperf::OTLP.encode(nil) }.message)
  end

  def test_the_resource_and_the_id_are_in_the_bytes
    data = {samples: [[[["a.rb", "Object#a"]], 7, 1, 0]]}
    bytes = Rperf::OTLP.encode(data, resource: {"service.name": "shop", replica: 3}, profile_id: "0123456789abcdef")
    assert_equal Encoding::BINARY, bytes.encoding
    ["service.name".b, "shop".b, "replica".b, "0123456789abcdef".b].each { |part| assert_includes bytes, part }
    refute_includes bytes, "unknown_service".b
    zipped = Rperf::OTLP.encode(data, resource: {"service.name": "shop", replica: 3}, profile_id: "0123456789abcdef", gzip: true)
    assert_equal bytes, Zlib.gunzip(zipped)
  end
end
