# frozen_string_literal: true

require "rperf/agent"
require_relative "../support/certificates"
require_relative "../support/test_helper"

# What the agent is told, and how it says what is wrong with it.
class AgentSettingsTest < Minitest::Test
  Settings = Rperf::Agent::Settings
  URL = "pyroscope+https://profiles.example.org/base"

  def test_defaults
    settings = Settings.new(push: URL)
    assert_equal [60, 99, %i[cpu wall], 1.0, nil], %i[period frequency mode share duty].map { |name| settings[name] }
    kind, url = settings.destinations.first
    assert_equal [:pyroscope, "https://profiles.example.org/base"], [kind, url.to_s]
  end

  def test_several_destinations
    settings = Settings.new(push: [URL, "pprof+http://127.0.0.1:8080/", "file:profiles/%t.pb.gz"])
    assert_equal %i[pyroscope pprof file], settings.destinations.map(&:first)
    assert_equal File.absolute_path("profiles/%t.pb.gz"), settings.destinations.last.last
  end

  def test_several_destinations_in_one_text
    urls = ["https://u:p@profiles.example.org/base?a=1,b", "http://127.0.0.1/a,b"]
    text = "pyroscope+#{urls[0]}, file:a,b/%t.json ,parca+#{urls[1]},"
    [Settings.new(push: text), Settings.new(push: [text]), Settings.from_env({}, push: text), Settings.from_env({"RPERF_PUSH_URL" => text})].each do |settings|
      assert_equal [[:pyroscope, urls[0]], [:file, File.absolute_path("a,b/%t.json")], [:parca, urls[1]]], settings.destinations.map { |kind, place| [kind, place.to_s] }
    end
    ["pprof+http://x,y", "pprof+http://x/y,https://z"].each { |wrong| assert_raises(ArgumentError, wrong) { Settings.new(push: wrong) } }
  end

  # As bytes of another encoding are, in a name of a directory.
  def test_a_file_whose_name_is_no_text
    kind, path = Settings.new(push: "file:/caf\xE9/ü/%t.json").destinations.first
    assert_equal [:file, "/caf\xE9/ü/%t.json".b], [kind, path]
    assert_equal "file:/caf\u{FFFD}/ü/%t.%m.json", Rperf::Agent::Destinations::Files.new(path).name
  end

  def test_the_environment
    env = {"RPERF_PUSH_URL" => "#{URL}, file:%t.json", "RPERF_PUSH_HEADERS" => "x-scope-orgid=shop%20two,a=b=c", "RPERF_PUSH_PERIOD" => "10",
           "RPERF_FREQUENCY" => "50", "RPERF_MODE" => "cpu,alloc", "RPERF_SERVICE" => "s", "RPERF_LABELS" => "env=test, team=a",
           "RPERF_SHARE" => "0.5", "RPERF_DUTY" => "10s/60s", "RPERF_MAX_OVERHEAD" => "0.02", "RPERF_SLOW" => "1.5", "RPERF_INTERVAL" => "20"}
    settings = Settings.from_env(env)
    assert_equal [10.0, 50, %i[cpu alloc], "s", {"env" => "test", "team" => "a"}, 0.5, 1.5, 20, 50, 0.02],
                 [*%i[period frequency mode service labels share slow interval].map { |name| settings[name] }, settings[:duty].off, settings[:max_overhead]]
    assert_equal({"x-scope-orgid" => "shop two", "a" => "b=c"}, settings.credentials.headers)
    assert_equal 2, settings.destinations.length
    assert_equal 5, Settings.from_env(env, period: 5)[:period]
  end

  OTLP = "OTEL_EXPORTER_OTLP_"
  OTEL_ADDRESSES = {
    {} => "http://localhost:4318/v1development/profiles",
    {"ENDPOINT" => "https://otel.example.org/base/"} => "https://otel.example.org/base/v1development/profiles",
    {"ENDPOINT" => "https://otel.example.org", "PROFILES_ENDPOINT" => "https://other.example.org/x"} => "https://other.example.org/x"
  }.freeze

  def otel(given, **keywords) = Settings.from_env({"RPERF_PUSH_URL" => "otlp"}.merge(given.transform_keys { |name| OTLP + name }), **keywords)

  def test_the_environment_of_opentelemetry
    OTEL_ADDRESSES.each { |given, url| assert_equal [[:otlp, url]], otel(given).destinations.map { |kind, uri| [kind, uri.to_s] } }
    assert_equal({"x" => "1"}, otel({"HEADERS" => "api-key=a%2Cb", "PROFILES_HEADERS" => "x=1"}).credentials.headers)
    assert_equal :otlp, Settings.from_env({}, push: "otlp").destinations.first.first
    assert_equal :pprof, otel({"ENDPOINT" => "https://x"}, push: "pprof+https://y").destinations.first.first
    assert_equal({"own" => "1"}, otel({"HEADERS" => "x=1"}, headers: {"own" => "1"}).credentials.headers)
    limits = {"TIMEOUT" => "1000", "PROFILES_TIMEOUT" => "1500", "COMPRESSION" => "none"}
    assert_equal [1.5, :none], [otel(limits)[:timeout], otel(limits)[:compression]]
    wrong = /\AOTEL_EXPORTER_OTLP_ENDPOINT must be http:\/\/HOST:PORT or https:\/\/HOST:PORT\z/
    ["example.org:4318", "otlp+http://x", "http://", "http:///path", "grpc://x:4317"].each do |url|
      assert_match wrong, assert_raises(ArgumentError, url) { otel({"ENDPOINT" => url}) }.message
    end
    {{"PROFILES_ENDPOINT" => "localhost:4318"} => /\AOTEL_EXPORTER_OTLP_PROFILES_ENDPOINT must be http:.*PORT\z/,
     {"HEADERS" => "x"} => /\AOTEL_EXPORTER_OTLP_HEADERS must be/,
     {"TIMEOUT" => "10s"} => /\AOTEL_EXPORTER_OTLP_TIMEOUT must be a whole number of milliseconds, such as 10000, not "10s"\z/,
     {"COMPRESSION" => "zstd"} => /\AOTEL_EXPORTER_OTLP_COMPRESSION must be gzip or none, not 'zstd'\z/,
     {"PROFILES_CLIENT_KEY" => "/none"} => /\AOTEL_EXPORTER_OTLP_PROFILES_CLIENT_KEY names the file '\/none'/}.each do |given, sentence|
      assert_match sentence, assert_raises(ArgumentError) { otel(given) }.message
    end
  end

  def test_opentelemetry_s_address_beside_others
    kinds = ->(**given) { Settings.from_env({"OTEL_EXPORTER_OTLP_HEADERS" => "key=swordfish"}, **given).destinations.map(&:first) }
    assert_equal [%i[otlp file]] * 2, [kinds.(push: "otlp, file:%t.json"), kinds.(push: ["file:%t.json", "otlp"])]
    assert_equal %i[otlp file], Settings.from_env({"RPERF_PUSH_URL" => "otlp,file:%t.json"}).destinations.map(&:first)
    error = assert_raises(ArgumentError) { kinds.(push: ["otlp", URL]) }
    assert_match(/\Apush: may have only files besides otlp/, error.message)
    error = assert_raises(ArgumentError) { Settings.from_env({"RPERF_PUSH_URL" => "#{URL},otlp"}) }
    assert_match(/\ARPERF_PUSH_URL may have only files/, error.message)
  end

  def test_an_otlp_address_with_a_path_is_complete
    paths = {"http://x" => "/v1development/profiles", "http://x/" => "/v1development/profiles", "http://x/own" => "/own"}
    series = Rperf::Agent::Series.new(service: "shop")
    destination = ->(url) { Rperf::Agent::Destinations::OTLP.new(URI(url), series:, credentials: Rperf::Agent::Credentials.new) }
    data = {mode: :cpu, samples: [[[["a.rb", "A#a"]], 1, 1, 0]], label_sets: [{}]}
    delivery = Rperf::Agent::Delivery.new(Rperf::Native::Profile.from_h(data))
    assert_equal(paths, paths.to_h { |url, _path| [url, destination.(url).entry(delivery).path] })
  end

  # What is wrong, and of which setting the sentence speaks.
  WRONG = {
    {push: []} => /\Apush: must be given/,
    {push: URL, interval: 20} => /\Ainterval: belongs to the modes alloc and heap, not to cpu and wall: /,
    {push: URL, mode: :heap, interval: 0} => /\Ainterval: must be a whole number from 1 to /,
    {push: URL, slow: "0"} => /\Aslow: must be a number from 0.001 to 86400/,
    {push: "https://example.org"} => /\Apush: must be .*pyroscope\+https:.*not 'https:\/\/\.\.\.'\z/,
    {push: "pyroscope+https://"} => /\Apush: must have HOST, HOST:PORT or USER:PASSWORD@HOST behind pyroscope\+https:/,
    {push: "pyroscope+https://a b/"} => /\Apush: must have HOST/,
    {push: "pyroscope+https://caf\xE9/"} => /\Apush: must have HOST/,
    {push: "pyroscope+https://me:sw/swordfish@x"} => /\Apush: must have HOST/,
    {push: "pyroscope+https://me:100%swordfish@x"} => /\Apush: must have HOST/,
    {push: "pyroscope+https:me:swordfish@x"} => /not an address that begins otherwise\z/,
    {push: "tcp+https://me:swordfish@x/?k=swordfish"} => /not 'tcp\+https:\/\/\.\.\.'\z/,
    {period: 0} => /\Aperiod: must be a number from 1 to 600 \(seconds\), not 0\z/,
    {period: "soon"} => /not "soon"/,
    {share: 2} => /\Ashare: must be a number from 0 to 1/,
    {duty: "1/2/3"} => /\Aduty:/,
    {max_overhead: 0} => /\Amax_overhead:/,
    {frequency: 20_000} => /\Afrequency: must be a whole number from 1 to 10000/,
    {mode: :wal} => /\Amode: .*did you mean 'wall'/,
    {paths: "short"} => /\Apaths: must be absolute or relative, not 'short'\z/,
    {wall: "none"} => /\Awall: must be work or all, not 'none'\z/,
    {labels: {"a b" => 1}} => /\Alabels: has the name 'a b'/,
    {labels: {__name__: "shop"}} => /\Alabels: has the name '__name__': use letters, digits and _, no digit and no __ first, and service: for service_name\z/,
    {labels: {"service_name" => "shop"}} => /\Alabels: has the name 'service_name': use letters/,
    {labels: {env: "é" * 1025}} => /\Alabels: has a value of 2050 bytes for env: use at most 2048 bytes\z/,
    {labels: (1..11).to_h { |number| ["l#{number}", 1] }} => /\Alabels: has 11 labels: use at most 10\z/,
    {labels: [1]} => /\Alabels: must be a Hash\z/,
    {headers: "key=swordfish"} => /\Aheaders: must be a Hash\z/,
    {headers: {"X-Ü" => "swordfish"}} => /\Aheaders: has the name "X-Ü": use letters, digits and -\z/,
    {headers: {"X\nY" => "swordfish"}} => /\Aheaders: has the name "X\\nY": use/,
    {headers: {"X-\xFF" => "swordfish"}} => /\Aheaders: has the name "X-\\xFF": use/,
    {basic_auth: ["me", nil]} => /\Abasic_auth: must be \[USER, PASSWORD\]\z/,
    {basic_auth: [nil, "swordfish"]} => /\Abasic_auth: must be \[USER, PASSWORD\]\z/,
    {basic_auth: "me:swordfish"} => /\Abasic_auth: must be \[USER, PASSWORD\]\z/,
    {deny: "tenant"} => /\Adeny: must be an Array of keys of labels\z/,
    {logger: 1} => /\Alogger: must be an object with info and warn\z/,
    {token_file: 42} => /\Atoken_file: must be the path of a file, not 42\z/,
    {spool: 5} => /\Aspool: must be the path of a file, not 5\z/,
    {token_file: "/no/such/file"} => /\Atoken_file: names the file '\/no\/such\/file', which cannot be read/,
    {subjects: {}} => /\Athe agent has no setting :subjects\z/,
    {perod: 3} => /\Athe agent has no setting :perod; did you mean 'period'\?/,
  }.freeze

  def test_what_is_wrong_is_one_sentence
    WRONG.each do |given, sentence|
      error = assert_raises(ArgumentError, given.inspect) { Settings.from_env({}, push: URL, **given) }
      assert_match sentence, error.message
      refute_match(/swordfish|\n/, error.message)
      refute_match(/swordfish/, error.cause.inspect)
    end
  end

  def test_an_address_with_a_user_gets_no_token
    settings = Settings.new(push: ["pprof+https://me:sword%20fish@example.org", URL], token: "salmon")
    headers = settings.destinations.map { |_kind, url| settings.credentials(url).headers }
    assert_equal [{"Authorization" => "Basic #{["me:sword fish"].pack("m0")}"}, {"Authorization" => "Bearer salmon"}], headers
  end

  def test_files_for_https
    locked = OpenSSL::PKey::EC.generate("prime256v1").to_pem(OpenSSL::Cipher.new("aes-256-cbc"), "swordfish")
    in_directory do |directory|
      own = Certificates.new(directory)
      given = {"CERTIFICATE" => own.authority, "CLIENT_CERTIFICATE" => own.path("client.pem"), "CLIENT_KEY" => own.path("client.key")}
      assert_equal({ca_file: own.authority, cert: File.read(own.path("client.pem")), key: File.read(own.path("client.key"))},
        otel(given).tls.transform_values { |value| value.respond_to?(:to_pem) ? value.to_pem : value })
      File.write(path = File.join(directory, "x.pem"), locked)
      {ca_file: "certificates", client_certificate: "a certificate", client_key: "a private key without a pass phrase"}.each do |name, content|
        [path, directory].each do |wrong|
          error = assert_raises(ArgumentError) { Settings.new(push: URL, name => wrong) }
          assert_equal "#{name}: must name a file with #{content} (PEM), not '#{wrong}'", error.message
        end
      end
    end
  end

  def test_variables_are_called_by_their_names
    {"RPERF_PUSH_PERIOD" => "0", "RPERF_SHARE" => "x", "RPERF_LABELS" => "a", "RPERF_PUSH_HEADERS" => "=b", "RPERF_FREQUENCY" => "x",
     "RPERF_MODE" => "x", "RPERF_DUTY" => "x", "RPERF_PUSH_TOKEN_FILE" => "/no/such", "RPERF_PUSH_URL" => "x"}.each do |name, value|
      error = assert_raises(ArgumentError, name) { Settings.from_env({"RPERF_PUSH_URL" => URL, name => value}) }
      assert error.message.start_with?(name), error.message
    end
  end

  # As a program has them from its environment.
  def test_texts_stand_for_values
    settings = Settings.new(push: URL, period: "10", frequency: "50", mode: "cpu,alloc", slow: "1.5", share: "0.5")
    assert_equal [10.0, 50, %i[cpu alloc], 1.5, 0.5], (%i[period frequency mode slow share].map { |name| settings[name] })
  end

  def test_paths_stay_where_they_were
    paths = in_directory do |directory|
      Dir.chdir(directory) do
        File.write("token", "secret")
        Settings.new(push: "file:%t.json", token_file: "token", spool: "spool")
      end
    end.then { |settings| [*settings.destinations.first, settings[:token_file], settings[:spool]] }
    assert_equal [:file, "%t.json", "token", "spool"], paths.map { |path| path.is_a?(String) ? File.basename(path) : path }
    assert_equal [true], paths.drop(1).map { |path| File.absolute_path?(path) }.uniq
  end

  # Headers may hold a token.
  def test_damaged_headers_are_not_shown
    env = {"RPERF_PUSH_URL" => URL, "RPERF_PUSH_HEADERS" => "authorization=swordfish%zz"}
    error = assert_raises(ArgumentError) { Settings.from_env(env) }
    assert_equal "RPERF_PUSH_HEADERS has a value whose percent-encoding is damaged: write %25 for a percent sign", error.message
    assert_nil error.cause, "its message would have the value"
  end

  def test_a_file_for_each_profile
    error = assert_raises(ArgumentError) { Rperf::Agent::Destinations::Files.new("one.pb.gz") }
    assert_match(/'one.pb.gz' needs %t/, error.message)
    assert_raises(ArgumentError) { Rperf::Agent::Destinations::Files.new("%t.xyz") }
  end
end
