# frozen_string_literal: true

require "rperf/agent"
require_relative "../support/stores"
require_relative "../support/program"

# The agent and profile stores: doubles, whose protocols connect-node speaks. Each of their rules is
# tried with what breaks it.
class AgentStoresTest < Minitest::Test
  include ProgramSupport

  Agent = Rperf::Agent
  ID = "01234567-89ab-cdef-0123-456789abcdef"
  LABELS = {"__name__" => "process_cpu", "service_name" => "shop", "__delta__" => "false"}.freeze
  PROGRAM = <<~RUBY
    work = -> { 20_000.times { |number| number.to_s } }
    finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 2
    Rperf.label(endpoint: "GET /a b,{c}") { work.call until Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish }
    Rperf::Agent.flush(timeout: 60)
    warn Rperf::Agent.status[:destinations].values.map { |it| it[:dropped] }.inspect
  RUBY

  def setup
    @stores = Stores.new
  end

  def teardown
    @stores.close
  end

  def url(path = "") = "http://127.0.0.1:#{@stores.port}#{path}"

  def test_a_program_whose_profiles_both_keep
    in_directory do |directory|
      env = {"RPERF_PUSH_URL" => "pyroscope+#{url},parca+#{url}", "RPERF_SERVICE" => "shop", "RPERF_LABELS" => "env=test", "RPERF_MODE" => "both",
             "RPERF_PUSH_HEADERS" => "X-Scope-OrgID=one"}
      result = run_program(RUBY, "-I", Paths::LIB, "-rrperf/agent", "-e", PROGRAM, directory:, env:)
      assert_equal [0, "[{}, {}]"], [result.code, result.err.lines.last.chomp], result.inspect
      assert_includes result.err, "go to pyroscope+#{url}, parca+#{url}, each"
    end
    calls = Array.new(@stores.waiting) { @stores.call }
    assert_equal [[nil, []]], calls.map { |call| call.values_at(:broken, :misread) }.uniq
    assert_equal [%w[parca grpc-web one], %w[pyroscope connect one]], calls.map { |call| call.values_at(:store, :protocol, :tenant) }.uniq.sort
    calls.group_by { |call| call[:store] }.each_value { |of_store| check_series(of_store.flat_map { |call| call[:series] }) }
  end

  def check_series(all)
    assert_equal %w[process_cpu wall], all.map { |series| series.dig(:labels, :__name__) }.uniq.sort
    assert_equal [%w[shop test]], all.map { |series| series[:labels].values_at(:service_name, :env) }.uniq
    assert_equal [[%w[cpu nanoseconds]], [%w[wall nanoseconds]]], all.map { |series| series[:types] }.uniq.sort
    assert_equal [["endpoint"]], all.map { |series| series[:keys] }.uniq
    assert_operator all.sum { |series| series[:total] }, :>, 2e9
  end

  # A profile, and how it is changed by the block.
  def pprof(**changes)
    data = {version: 2, mode: :cpu, frequency: 99, start_time_ns: now_ns, duration_ns: 10**9, samples: [[[["a.rb", "A#a"]], 10_000_000, 1, 0]], label_sets: [{}]}
    Rperf::Native::Profile.from_h(data.merge(changes)).store_pprof
  end

  def now_ns = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
  def deep = [[Array.new(1001) { |number| ["a.rb", "f#{number}"] }, 1, 1, 0]]
  def many = Array.new(16_001) { |number| [[["a.rb", "f#{number}"]], 1, 1, 0] }
  def labelled(set) = pprof(label_sets: [set])

  # As rperf writes it for files: numbers of threads, and a second sample type.
  def plain
    Rperf::Native::Profile.from_h(Rperf.start { 100_000.times(&:to_s) }).bytes(:pprof, true, false)
  end

  # Fields of protobuf: numbers, or bytes.
  def protobuf(*fields)
    fields.map { |number, value| value.is_a?(Integer) ? varint(number << 3) + varint(value) : varint(number << 3 | 2) + varint(value.bytesize) + value }.join
  end

  def varint(value) = value < 128 ? value.chr : (value & 127 | 128).chr + varint(value >> 7)

  # A profile of one sample, with what of Go's pprof is not written by rperf.
  def hand_made(*strings, period: true, label: [], location: 1)
    sample = protobuf([1, varint(location)], [2, varint(1)], *label)
    type = protobuf([1, 1], [2, 2])
    protobuf([1, type], [2, sample], [4, protobuf([1, location])], *strings.map { |text| [6, text] }, [9, now_ns], *(period ? [[11, type], [12, 1]] : []))
  end

  def push(labels, pprof, id: ID)
    post(Agent::Destinations::Pyroscope, Rperf::Native.push_request(labels, pprof, id))
  end

  def post(kind, body) = Agent::Connection.new(URI(url)).post(kind::PATH, body, kind::HEADERS)

  def test_what_pyroscope_refuses
    assert_equal :sent, push(LABELS, pprof).kind
    assert_nil @stores.call[:broken]
    text = [[3, protobuf([1, 3], [2, 4])]]
    many_labels = (1..30).to_h { |number| ["l#{number}", "x"] }
    {
      "a name" => [LABELS.except("__name__"), pprof],
      "a service_name" => [LABELS.except("service_name"), pprof],
      "names of labels" => [LABELS.merge("a-b" => "x"), pprof],
      "at most 30 labels of a series" => [LABELS.merge(many_labels), pprof],
      "label values up to 2,048 bytes" => [LABELS.merge("env" => "x" * 2049), pprof],
      "a period type" => [LABELS, hand_made("", "cpu", "nanoseconds", period: false)],
      "no - in a sample type" => [LABELS, hand_made("", "gvl-wait", "nanoseconds")],
      "at most 4 MiB" => [LABELS, pprof(samples: [[[["a" * (5 << 20), "a"]], 1, 1, 0]])],
      "at most 16,000 samples" => [LABELS, pprof(samples: many)],
      "at most 100 labels of a sample" => [LABELS, labelled((1..101).to_h { |number| [:"k#{number}", "x"] })],
      "at most 1,000 frames" => [LABELS, pprof(samples: deep)],
      "an age of less than an hour" => [LABELS, pprof(start_time_ns: now_ns - 3601 * 10**9)],
      "no time to come" => [LABELS, pprof(start_time_ns: now_ns + 700 * 10**9)],
      "trace_id of 32 digits" => [LABELS, hand_made("", "cpu", "nanoseconds", "trace_id", "ab", label: text)],
      "span_id of 16 digits" => [LABELS, hand_made("", "cpu", "nanoseconds", "span_id", "ab", label: text)]
    }.each { |rule, (labels, pprof)| assert_refused rule, push(labels, pprof) }
    assert_equal :sent, push(LABELS, labelled(trace_id: "ab", span_id: "ab")).kind
    assert_nil @stores.call[:broken]
    assert_refused "a UUID", push(LABELS, pprof, id: "1")
  end

  def test_what_pyroscope_misreads
    number = [[3, protobuf([1, 1], [3, 7])]]
    {
      "sums" => [LABELS.except("__delta__"), pprof],
      "a second sample type" => [LABELS, plain],
      "labels of numbers" => [LABELS, hand_made("", "cpu", "nanoseconds", label: number)]
    }.each do |what, (labels, bytes)|
      assert_equal :sent, push(labels, bytes).kind
      assert_includes @stores.call[:misread], what
    end
  end

  # A destination, as the agent has it, whose series has these labels.
  def parca(labels)
    series = Struct.new(:labels) { def of(_mode) = labels }.new(labels)
    Agent::Destinations::Parca.new(URI(url), series:, credentials: Agent::Credentials.new)
  end

  def write_raw(labels, pprof) = parca(labels).send(:heard, *answered(Rperf::Native.write_raw_request(labels, pprof)))

  # What the agent hears of a request.
  def answered(request)
    framed = [0, request.bytesize].pack("CN") + request
    heard = nil
    Agent::Connection.new(URI(url)).post(Agent::Destinations::Parca::PATH, framed, Agent::Destinations::Parca::HEADERS) { |*all| (heard = all).first }
    heard
  end

  def test_what_parca_refuses
    assert_equal :sent, write_raw(LABELS, pprof).kind
    assert_equal [nil, "grpc-web"], @stores.call.values_at(:broken, :protocol)
    {
      "a name" => [LABELS.except("__name__"), pprof],
      "names of labels" => [LABELS.merge("a-b" => "x"), pprof],
      "an empty string first" => [LABELS, hand_made("x", "cpu", "nanoseconds")],
      "locations in order" => [LABELS, hand_made("", "cpu", "nanoseconds", location: 2)],
      "sample types that are names" => [LABELS, hand_made("", "gvl-wait", "nanoseconds")],
      "a period type" => [LABELS, hand_made("", "cpu", "nanoseconds", period: false)],
      "no ids of traces" => [LABELS, labelled(trace_id: "0" * 32)]
    }.each { |rule, (labels, pprof)| assert_refused rule, write_raw(labels, pprof) }
  end

  # Pyroscope keeps ids of traces apart from its series; Parca would make a column of each.
  def test_links_to_traces
    profile = Rperf::Native::Profile.from_h(mode: :cpu, frequency: 99, start_time_ns: now_ns, duration_ns: 10**9, samples: [[[["a.rb", "A#a"]], 10_000_000, 1, 0]],
                                            label_sets: [{trace_id: "ab" * 16, span_id: "cd" * 8, endpoint: "GET /"}])
    found = %w[pyroscope parca].to_h do |kind|
      destination = Agent::Destinations.of(Agent::Settings.new(push: "#{kind}+#{url}"), Agent::Series.new(service: "shop")).first
      assert_equal :sent, destination.deliver(Agent::Delivery.new(profile)).kind
      [kind, @stores.call[:series].first[:keys].sort]
    end
    assert_equal({"pyroscope" => %w[endpoint span_id trace_id], "parca" => %w[endpoint]}, found)
  end

  # `rperf push` of a file that this profile is in.
  def push_file(*words, bytes: pprof, kind: "pyroscope", address: "#{kind}+#{url}", **env)
    in_directory do |directory|
      File.binwrite(File.join(directory, "app.pb.gz"), bytes)
      rperf("push", "app.pb.gz", address, *words, directory:, env: env.transform_keys(&:to_s))
    end
  end

  def test_the_command
    result = push_file("--service", "shop", "--verify", RPERF_LABELS: "env=test")
    told = "rperf: sent 'app.pb.gz' to pyroscope+#{url}: 10.0 ms of CPU time\nrperf: verified: it has all of it\n"
    assert_equal [0, "", told], [result.code, result.out, result.err]
    labels = @stores.call[:series].first[:labels]
    assert_equal ["shop", "test", nil], labels.values_at(:service_name, :env, :host)
    assert_match(/\A\h{8}-/, labels[:rperf_push])
    wall = pprof(mode: :wall, samples: [[[["a.rb", "A#a"]], 7_000_000, 1, 0]])
    assert_equal 0, push_file("--verify", bytes: wall, OTEL_SERVICE_NAME: "shop").code
    assert_equal 0, push_file("--service", "shop", kind: "parca").code
  end

  # What the store has of the first file is not counted for the second.
  def test_several_files_are_verified_one_by_one
    in_directory do |directory|
      %w[one two].each { |name| File.binwrite(File.join(directory, "#{name}.pb.gz"), pprof) }
      result = rperf("push", "--verify", "--service", "shop", "one.pb.gz", "two.pb.gz", "pyroscope+#{url}", directory:)
      assert_equal [0, 2], [result.code, result.err.scan("verified: it has all of it").length], result.err
    end
  end

  def test_a_profile_from_a_pipe_is_sent
    in_directory do |directory|
      File.binwrite(File.join(directory, "app.pb.gz"), pprof)
      result = rperf("push", "--service", "shop", "-", "pyroscope+#{url}", directory:, input: File.join(directory, "app.pb.gz"))
      assert_equal [0, "rperf: sent '/dev/stdin' to pyroscope+#{url}: 10.0 ms of CPU time\n"], [result.code, result.err]
    end
  end

  def test_what_the_command_would_send
    result = push_file("--service", "shop", "--explain", bytes: pprof(samples: deep, start_time_ns: now_ns - 7200 * 10**9), RPERF_LABELS: "env=test", RPERF_PUSH_HEADERS: "x-key=swordfish")
    assert_equal [0, ""], [result.code, result.err]
    head, *lines = result.out.lines(chomp: true)
    assert_equal "'app.pb.gz' would be sent to pyroscope+#{url}", head
    told = lines.to_h { |line| line.strip.split(/  +/, 2) }
    assert_equal ["/push.v1.PusherService/Push", '__name__="process_cpu", service_name="shop", __delta__="false", env="test"', "the limits of stores take outermost frames"],
                 told.values_at("path", "as", "limits")
    assert_match(/ of CPU time, which ended 120 minutes ago; stores refuse what is an hour old\z/, told["profile"])
    young = push_file("--service", "shop", "--explain", bytes: pprof(start_time_ns: now_ns - 61 * 10**9))
    assert_match(/, which ended 1 minute ago$/, young.out)
    timeless = push_file("--service", "shop", "--explain", bytes: "<main>;A#a 5\n")
    assert_match(/ of time; the file does not say when it was recorded$/, timeless.out)
    assert_match(/\A[\d,]+ bytes\z/, told["body"])
    refute_match(/swordfish/, result.out)
    assert_equal 0, @stores.waiting
    refusal = push_file("--service", "shop", "--explain", address: "file:%t.json")
    assert_equal [2, "rperf: --explain works with servers only, not with files\n"], [refusal.code, refusal.err]
  end

  def test_what_the_command_loses_is_said
    result = push_file("--service", "shop", bytes: pprof(samples: deep))
    assert_match(/ of CPU time; the store's limits took outermost frames\n\z/, result.err)
    assert_nil @stores.call[:broken]
  end

  def test_what_the_command_complains_about
    old = pprof(start_time_ns: now_ns - 7200 * 10**9)
    {
      push_file("--service", "shop", bytes: old) => [1, "'app.pb.gz' was not taken by pyroscope+#{url}: 400 the rule is broken: an age of less than an hour"],
      push_file("--service", "shop", bytes: old, RPERF_LABELS: "refuse_with=Unauthenticated") =>
        [1, "'app.pb.gz' was not taken by pyroscope+#{url}: 401 the double refuses: Unauthenticated; see RPERF_PUSH_TOKEN_FILE and RPERF_PUSH_HEADERS"],
      push_file => [2, "what is the program called in the store? Say --service NAME, or set RPERF_SERVICE"],
      push_file("--service", "shop", address: "file:/out.json") => [2, "the agent's file '/out.json' needs %t, the time: each profile has a file of its own"],
      push_file("--service", "shop", address: "pyroscope+#{url},parca+#{url}") => [2, "'rperf push' sends to one address: call it once for each"],
      push_file("--service", "shop", RPERF_PUSH_HEADERS: "x-key=sword%0Afish") =>
        [1, "'app.pb.gz' was not taken by pyroscope+#{url}: the header 'x-key' would have several lines: give it a value of one line; " \
            "see RPERF_PUSH_TOKEN_FILE and RPERF_PUSH_HEADERS"],
      push_file("--service", "shop", "--verify", kind: "parca") => [2, "--verify works with pyroscope+https only, which can be asked for what it has"],
      push_file("--service", "shop", kind: "pyrscope") =>
        [2, "the address must be pyroscope+https://HOST, pyroscope+http://HOST, otlp+https://HOST, otlp+http://HOST, parca+https://HOST, " \
            "parca+http://HOST, pprof+https://HOST, pprof+http://HOST, otlp or file:PATTERN, not 'pyrscope+http://...'"]
    }.each { |result, (code, sentence)| assert_equal [code, "", "rperf: #{sentence}\n"], [result.code, result.out, result.err] }
  end

  STATUSES = {"Unauthenticated" => :unauthorized, "PermissionDenied" => :unauthorized, "ResourceExhausted" => :later, "Unavailable" => :later,
              "Internal" => :once_more, "InvalidArgument" => :rejected}.freeze

  def test_what_their_statuses_mean
    profile = Rperf::Native::Profile.from_h(Rperf.start { 100_000.times(&:to_s) })
    STATUSES.each do |name, kind|
      labels = LABELS.merge("refuse_with" => name)
      answers = [push(labels, pprof), parca(labels).deliver(Agent::Delivery.new(profile))]
      assert_equal [name, kind, kind], [name, *answers.map(&:kind)]
      assert_equal ["the double refuses: #{name}"] * 2, answers.map { |answer| answer.text[/the double.*/] }
    end
  end

  def assert_refused(rule, answer)
    assert_equal [rule, :rejected], [@stores.call[:broken], answer.kind]
    assert_match(/the rule is broken: #{Regexp.escape(rule)}/, answer.text)
  end
end
