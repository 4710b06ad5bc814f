# frozen_string_literal: true

require "rperf/open_telemetry"
require_relative "../support/documents"
require_relative "../support/program"
require_relative "../support/spans"
require_relative "../support/spent_time"

# Samples of units of work lead to their spans.
class LinksTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems
  include SpentTime

  def setup
    @provider = OpenTelemetry.tracer_provider = OpenTelemetry::Provider.new
    Rperf::OpenTelemetry.link_spans
  end

  def teardown
    Rperf.stop
  end

  # Nanoseconds by the labels of samples.
  def times(data)
    data[:samples].each_with_object(Hash.new(0)) { |sample, sums| sums[data[:label_sets][sample[3]]] += sample[1] }
  end

  def linked(span, **labels) = {**labels, trace_id: span.context.hex_trace_id, span_id: span.context.hex_span_id}

  # So long a unit computes: what its samples may be off by at their edges is a small part of it.
  SECONDS = 0.25

  # Computes in a span.
  def burn(**) = @provider.in_span(**) { |span| [span, Burning.burn(SECONDS)] }

  # Computes in the span of a unit of work. Returns the span and what was spent.
  def work(name, **) = Rperf.work(name) { burn(**) }

  def test_samples_of_a_unit_have_the_ids_of_its_span
    works = plain = nil
    data = Rperf.start do
      works = Array.new(2) { work("mail") }
      plain = Rperf.work("plain") { Burning.burn(SECONDS) }
    end
    found = times(data)
    works.each { |span, spent| assert_spent spent, found[linked(span, job: "mail")], found }
    assert_spent plain, found[{job: "plain"}], found
    works.each { |span, _spent| assert_equal({"pyroscope.profile.id" => span.context.hex_span_id}, span.attributes) }
  end

  def test_the_first_local_root_counts
    outer = inner = remote = nil
    data = Rperf.start do
      Rperf.work("mail") { @provider.in_span { |span| outer, inner = span, burn(parent: span) } }
      elsewhere = OpenTelemetry::Trace::Span.new(OpenTelemetry::Trace::SpanContext.new("t" * 16, "s" * 8, true), {})
      remote = work("mail", parent: elsewhere)
    end
    found = times(data)
    assert_spent inner.last, found[linked(outer, job: "mail")], found
    assert_empty inner.first.attributes
    assert_spent remote.last, found[linked(remote.first, job: "mail")], found
  end

  def test_without_a_unit_or_a_session_nothing_happens
    assert_empty(@provider.in_span { |span| span }.attributes)
    Rperf.start { assert_empty(@provider.in_span { |span| span }.attributes) }
  end

  def test_the_document
    eval(Documents.file("docs/production.md", "config/initializers/opentelemetry.rb"), binding, __FILE__, __LINE__)
    @provider = OpenTelemetry.tracer_provider
    span = nil
    data = Rperf.start { span, = work("document") }
    assert_includes data[:label_sets], linked(span, job: "document")
  end

  # The samples of a unit that goes on have its link in each part of the recording.
  def test_periods
    parts, spent = [], []
    span = nil
    Rperf.start
    Rperf.work("mail") do
      @provider.in_span do |of_work|
        span = of_work
        spent << Burning.burn(SECONDS)
        parts << Rperf.snapshot(clear: true)
        spent << Burning.burn(SECONDS)
      end
    end
    parts << Rperf.stop
    parts.zip(spent) { |data, spent_in_it| assert_spent spent_in_it, times(data)[linked(span, job: "mail")], times(data) }
  end

  def test_formats
    in_directory do |directory|
      %w[a.pb.gz a.json a.otlp].each do |file|
        span = spent = nil
        Rperf.start(output: File.join(directory, file)) { span, spent = work("mail") }
        assert_linked(directory, file, span, spent)
      end
    end
  end

  # In OTLP it is a Link with binary ids.
  def assert_linked(directory, file, span, spent)
    path = File.join(directory, file)
    assert_spent spent, times(Rperf.load(path))[linked(span, job: "mail")], file
    assert_includes File.binread(path), span.context.trace_id if file.end_with?(".otlp")
    refute_includes File.binread(path), span.context.hex_trace_id if file.end_with?(".otlp")
  end

  LIMIT = 10_000

  def test_more_links_than_there_is_room_for_are_counted
    data = Rperf.start(mode: :alloc, interval: 1) do
      (LIMIT + 50).times { Rperf.work("many") { @provider.in_span { Object.new } } }
    end
    assert_equal LIMIT, data[:label_sets].map { |set| set[:trace_id] }.compact.uniq.length
    assert_includes data[:comments], "links to traces beyond the limit: 50"
  end

  def test_a_processor_never_raises
    error = capture_io do
      Rperf.start do
        processor = Rperf::OpenTelemetry::SpanProcessor.new
        2.times { processor.on_start(Object.new, nil) }
        assert_equal [0, 0], [processor.force_flush, processor.shutdown(timeout: 1)]
      end
    end.last
    assert_match(/\Arperf: spans are not linked: NoMethodError: [^\n]*\n\z/, error)
  end

  def test_without_opentelemetry_it_is_one_sentence
    code = "Rperf::OpenTelemetry.link_spans rescue puts $!.class, $!.message"
    result = in_directory do |directory|
      run_program(RUBY, "-I", Paths::LIB, "-rrperf/open_telemetry", "-e", code, directory:)
    end
    assert_match(/\ARperf::Error\nthere is no OpenTelemetry that makes spans: /, result.out)
  end
end
