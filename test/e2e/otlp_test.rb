# frozen_string_literal: true

require_relative "../support/program"
require "zlib"

# Profiles of OpenTelemetry's protocol as files.
class OTLPTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  GOLDEN = File.join(ROOT, "test", "golden")

  def with_mixed
    in_directory do |directory|
      FileUtils.cp(File.join(GOLDEN, "mixed.json"), directory)
      yield directory
    end
  end

  def test_convert_there_and_back
    with_mixed do |directory|
      [%w[mixed.json a.otlp], %w[mixed.json b.otlp.gz], %w[a.otlp back.pb.gz], %w[mixed.json straight.pb.gz]].each do |from, to|
        result = rperf("convert", from, to, directory:)
        assert_equal [0, "", ""], [result.code, result.out, result.err], to
      end
      plain = File.binread(File.join(directory, "a.otlp"))
      assert_equal File.binread(File.join(GOLDEN, "mixed.otlp")), plain
      assert_equal plain, Zlib.gunzip(File.binread(File.join(directory, "b.otlp.gz")))
      views = %w[--top --labels --comments].product(%w[straight.pb.gz back.pb.gz a.otlp b.otlp.gz])
      views.group_by(&:first).each do |view, files|
        outputs = files.map { |_, file| rperf("report", view, file, directory:).out }
        refute_empty outputs.first
        assert_equal 1, outputs.uniq.length, view
      end
    end
  end

  def test_record_says_what_the_environment_does
    in_directory do |directory|
      write_file(directory, "nap.rb", "sleep 0.05")
      env = {"OTEL_SERVICE_NAME" => "shop", "OTEL_RESOURCE_ATTRIBUTES" => "team=a%2Cb,wrong"}
      result = rperf("record", "-m", "wall", "-o", "nap.otlp", RUBY, "nap.rb", directory:, env:)
      assert_equal 0, result.code, result.err
      assert_equal 1, result.err.scan("OTEL_RESOURCE_ATTRIBUTES is left out, since it has 'wrong'").length, result.err
      bytes = File.binread(File.join(directory, "nap.otlp"))
      assert_includes bytes, "shop".b
      refute_includes bytes, "a,b".b
      assert_includes rperf("report", "--top", "nap.otlp", directory:).out, "Kernel#sleep"
    end
  end

  def test_a_file_that_is_cut_off
    with_mixed do |directory|
      File.binwrite(File.join(directory, "cut.otlp"), File.binread(File.join(GOLDEN, "mixed.otlp"))[0..-20])
      result = rperf("report", "--top", "cut.otlp", directory:)
      assert_equal 1, result.code
      assert_equal "rperf: cannot read 'cut.otlp': its OTLP data is damaged: a field reaches past the end\n", result.err
    end
  end
end
