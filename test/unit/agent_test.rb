# frozen_string_literal: true

require "rperf/agent"
require_relative "../support/agent_doubles"
require_relative "../support/test_helper"

# The parts of the agent by themselves.
class AgentTest < Minitest::Test
  include AgentDoubles

  Agent = Rperf::Agent
  Answer = Agent::Answer
  Response = Struct.new(:code, :headers) do
    def [](name) = headers&.fetch(name, nil)
  end

  def answer(code, body = "", headers = {}) = Answer.of(Response.new(code.to_s, headers), body)

  def test_times_to_wait
    [nil, "5", -1].product(%i[flush stop]) do |wrong, name|
      error = assert_raises(ArgumentError) { Agent.public_send(name, timeout: wrong) }
      assert_equal "timeout: must be a number from 0 to 86400 (seconds), not #{wrong.inspect}", error.message
    end
  end

  def test_what_answers_mean
    kinds = {200 => :sent, 204 => :sent, 301 => :wrong_address, 400 => :rejected, 401 => :unauthorized, 403 => :unauthorized,
             404 => :wrong_address, 405 => :wrong_address, 408 => :once_more, 413 => :too_large, 415 => :wrong_address,
             407 => :unauthorized, 422 => :rejected, 425 => :later, 429 => :later, 500 => :once_more, 501 => :wrong_address, 502 => :later,
             503 => :later, 504 => :later, 507 => :later, 522 => :later}
    assert_equal(kinds, kinds.to_h { |code, _kind| [code, answer(code).kind] })
    sizes = ["request body too large", '{"code":"resource_exhausted","message":"the profile size exceeds the limit"}']
    assert_equal [:too_large] * 4, sizes.flat_map { |body| [answer(400, body).kind, answer(429, body).kind] }
  end

  # Pyroscope's sentences. Its labels are in quotes, and may have any words.
  def test_what_a_store_calls_too_large
    labels = "'{service_name=\"image size\", note=\"a } \\\"limit\\\"\"}'"
    large = ["the profile with labels #{labels} exceeds the samples count limit (max_profile_stacktrace_samples, actual: 15000, limit: 8000)",
             "the profile with labels #{labels} exceeds the size limit (max_profile_size_byte, actual: 5000000, limit: 4194304)"]
    others = ["profile series #{labels} has 31 label names; limit 30", "label value of #{labels} exceeds the limit of 2048",
              "profile series '{service_name=\"image-resize\"}' exceeds the sample labels limit", "resize: limit exceeded"]
    assert_equal [:too_large] * 2, large.map { |body| answer(400, body).kind }
    assert_equal [:rejected] * 4, others.map { |body| answer(400, body).kind }
    json = ->(body) { JSON.generate({code: "invalid_argument", message: body}) }
    assert_equal [:too_large, :rejected], [large, others].map { |bodies| answer(400, json.(bodies.first)).kind }
  end

  # One of two profiles is refused each time: a line an hour, and none when the other one arrives.
  def test_a_log_has_changes_alone
    health = Agent::Health.new("store", lines = AgentDoubles::Lines.new)
    note = ->(*kinds) { kinds.each { |kind| health.note(Agent::Answer.new(kind:, text: "why")) } }
    note.(*%i[sent rejected] * 50)
    assert_equal ["rperf: store refuses a profile (why); it is dropped"], lines
    note.(*%i[unreachable] * 3, *%i[sent rejected sent], *%i[unauthorized] * 2, :later, :sent)
    assert_equal ["does not answer", "reach store again", "refuses the credentials", "takes nothing now", "reach store again"],
                 lines.drop(1).map { |line| line[/does not answer|reach store again|refuses the credentials|takes nothing now/] }
    assert_equal "why", health.last_error
  end

  def test_how_long_a_server_wants_us_to_wait
    now = Time.utc(2026, 1, 1)
    waits = ["7", "0", "100000", "-3", (now + 90).httpdate, (now - 90).httpdate, "soon", nil]
    assert_equal [7, 0, 600, 0, 90, 0, nil, nil], (waits.map { |text| Answer.retry_after(text, now:) })
    assert_equal 5, answer(429, "", "retry-after" => "5").after
  end

  def test_a_server_s_words_are_one_short_line
    assert_equal "400 bad label", answer(400, '{"code":"invalid_argument","message":"bad\r\n label"}').text
    assert_equal "400 {half", answer(400, "{half").text
    assert_equal "400 a\u{FFFD}b", answer(400, "a\xFFb\e").text
    assert_equal 200, answer(400, "x" * 5000).text.length
  end

  # Rolls the largest numbers.
  class Most
    def rand = 0.999
  end

  def test_waits_double_up_to_a_minute
    backoff = Agent::Backoff.new(random: Most.new)
    refute_predicate backoff, :active?
    waits = Array.new(12) { backoff.failed.round }
    assert_equal [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60], waits
    assert_equal [300, 60], [backoff.failed(300), backoff.failed(0)].map(&:round)
    backoff.succeeded
    assert_equal [false, 1], [backoff.active?, backoff.failed.round]
  end

  # As large as it says.
  Parcel = Struct.new(:size, :in_flight)

  def test_an_outbox_lets_the_oldest_go_but_what_is_on_its_way
    gone = []
    outbox = Agent::Outbox.new { |delivery| gone << delivery.size }
    1.upto(8) { |size| outbox.push(Parcel.new(size, size == 1)) }
    assert_empty gone
    9.upto(11) { |size| outbox.push(Parcel.new(size)) }
    assert_equal [[2, 3, 4], 8, 1], [gone, outbox.length, outbox.first.size]
    outbox.push(Parcel.new(Agent::Outbox::LARGEST))
    assert_equal [[2, 3, 4, 5, 6, 7, 8, 9, 10, 11], 2], [gone, outbox.length]
    assert_equal 2, outbox.close.length
    assert_nil outbox.first
    refute outbox.pause(1000)
  end

  # Nanoseconds.
  PERIOD = 60_000_000_000

  def test_the_throttle_halves_and_doubles
    throttle = Agent::Throttle.new(100, most: 0.01)
    turns = ->(used, count) { Array.new(count) { period(throttle, used * PERIOD / 1000); throttle.frequency } }
    assert_equal [100, 50, 50, 25, 25, 12, 12, 10, 10, 10], turns.(11, 10)
    assert_equal [*[10] * 9, 20], turns.(10, 10)
    # One bad period between good ones is no reason.
    assert_equal [20, 20, 20, 10], [*turns.(11, 1), *turns.(1, 1), *turns.(11, 2)]
    turns.(0, 60)
    assert_equal 100, throttle.frequency
    assert_equal 10, throttle.changes
  end

  def test_a_throttle_does_not_go_above_what_was_asked_for
    slow = Agent::Throttle.new(5, most: 0.01)
    refute(Array.new(30) { |turn| period(slow, turn < 10 ? PERIOD : 0) }.any?)
    assert_equal [5, 0], [slow.frequency, slow.changes]
  end

  # What is more than 1 % of a second, and less than that of ten.
  def test_short_periods_are_judged_together
    throttle = Agent::Throttle.new(99, most: 0.01)
    second = 1_000_000_000
    changed = ->(used, count) { Array.new(count) { |turn| period(throttle, used.(turn), second) }.any? }
    refute changed.(->(turn) { (turn % 10).zero? ? 13_000_000 : 0 }, 100)
    assert changed.(->(_turn) { 13_000_000 }, 20)
    assert_equal [49, true], [throttle.frequency, throttle.lowered?]
  end

  # They are called as often at any frequency.
  def test_hooks_do_not_lower_the_frequency
    throttle = Agent::Throttle.new(99, most: 0.01)
    figures = {sampling_time_ns: PERIOD / 1000, hook_time_ns: PERIOD / 10, duration_ns: PERIOD}
    refute(Array.new(10) { throttle.period(figures, own: 0) }.any?)
    assert_equal [true, 49], [Array.new(2) { throttle.period(figures, own: PERIOD / 100) }.last, throttle.frequency]
  end

  def test_each_day_other_processes_do_it
    days = Array.new(10) { |day| Time.utc(2026, 1, 1 + day) }
    chosen = days.map { |day| (1..1000).select { |instance| Agent::Share.new(0.3, instance).chosen?(day) } }
    chosen.each { |each| assert_in_delta 300, each.length, 60 }
    refute_equal chosen[0], chosen[1]
    one = Agent::Share.new(0.3, chosen[0].first)
    assert(Array.new(24) { |hour| one.chosen?(Time.utc(2026, 1, 1, hour)) }.all?)
    assert Agent::Share.new(1, 1).chosen?
    refute Agent::Share.new(0, 1).chosen?
  end

  def test_duty
    assert_equal [10, 50], Agent::Duty.parse("10s/60s", "duty:").then { |duty| [duty.on, duty.off] }
    ["10", "0s/60s", "70s/60s", "10s/700s", "x", 5].each do |wrong|
      error = assert_raises(ArgumentError) { Agent::Duty.parse(wrong, "duty:") }
      assert_match(/duty: must be such as '10s\/60s'.*not #{Regexp.escape(wrong.inspect)}/, error.message)
    end
  end

  def test_secrets_do_not_show
    secret = Agent::Secret.new("swordfish")
    credentials = Agent::Credentials.new(headers: {"x-key" => "swordfish"}, basic_auth: ["me", "swordfish"], token: -> { "swordfish" })
    settings = Agent::Settings.new(push: "pyroscope+https://me:swordfish@example.org/?key=swordfish", token: "swordfish")
    destination = Agent::Destinations.of(settings, nil).first
    sender = Agent::Sender.new(destination, log: [])
    [secret, credentials, settings, destination, sender].each { |object| refute_match(/swordfish/, "#{object} #{object.inspect}") }
    assert_equal "pyroscope+https://example.org:443/", destination.name
    assert_equal "swordfish", secret.reveal
    assert_equal({"x-key" => "swordfish", "Authorization" => "Bearer swordfish"}, credentials.headers)
  end

  TENANTS = %w[one:swordfish@h two:swordfish@h one:salmon@h h/?key=swordfish h/?key=salmon h].map { |place| "pprof+http://#{place.sub(/h\z/, "h/")}" }.freeze

  def destinations(push = "pprof+http://h/", **given) = Agent::Destinations.of(Agent::Settings.new(push:, **given), Agent::Series.new(service: "shop"))

  def test_destinations_that_differ_by_secrets_alone
    all = destinations(TENANTS)
    assert_equal ["pprof+http://h:80/", *(2..6).map { |number| "pprof+http://h:80/ (#{number})" }], all.map(&:name)
    assert_equal [6, all.last(1)], [all.map(&:id).uniq.length, all.select { |one| one.id == "pprof+http://h:80/" }]
    all.each { |one| assert_match(%r{\Approf\+http://h:80/( \h{8})?\z}, one.id) }
    assert_equal all.map(&:id), destinations(TENANTS.reverse).map(&:id).reverse
    Agent.new(Agent::Settings.new(push: TENANTS)).then { |agent| assert_equal all.map(&:name), agent.status[:destinations].keys }
    tenants = [{headers: {"X-Scope-OrgID" => "1"}}, {headers: {"X-Scope-OrgID" => "2"}}, {token: "swordfish"}, {token: "salmon"}, {token: -> { rand.to_s }},
               {token_file: __FILE__}, {basic_auth: %w[me salmon]}, {basic_auth: ["me", -> { rand.to_s }]}]
    ids = Array.new(2) { tenants.map { |given| destinations(**given).first.id } }
    assert_equal [tenants.length, ids.first], [ids.first.uniq.length, ids.last]
  end

  def test_a_spool_that_cannot_be_used_does_not_cost_the_agent
    agent = Agent.new(Agent::Settings.new(push: "pprof+http://h", spool: "/no/such/spool", logger: lines = Lines.new))
    assert_equal ["rperf: the spool '/no/such/spool' cannot be used: the directory '/no/such' does not exist; create it, or name another one; the agent goes on without it"], lines
    refute_empty agent.status[:destinations]
  end

  # A destination whose code fails.
  def test_failures_of_a_sender_are_internal_errors
    agent = Agent.new(Agent::Settings.new(push: "pprof+http://h", headers: {"X-Key" => "1"}))
    sender = agent.instance_variable_get(:@senders).first.tap(&:start)
    sender.destination.define_singleton_method(:deliver) { |_delivery| raise "a bug" }
    2.times { agent.push(profile) }
    assert sender.flush(30)
    assert_equal [2, {"internal error" => 2}], [agent.status[:internal_errors], agent.status[:destinations].values.first[:dropped]]
  ensure
    sender&.stop
  end

  def test_a_spool_has_requests_for_their_own_tenant_alone
    Dir.mktmpdir do |directory|
      spool = Agent::Spool.new(File.join(directory, "spool"))
      one, two = destinations(TENANTS.first(2))
      spool.put(one.entry(Agent::Delivery.new(profile)))
      refute spool.take(two.id) { true }
      assert(spool.take(one.id) { true })
    end
  end

  def test_a_header_of_several_lines_is_not_sent_and_not_shown
    [{token: "swordfish\nswordfish"}, {headers: {"X-Key\r\nX-Other" => "swordfish"}}, {headers: {"X-Key" => "sword\rfish"}}].each do |given|
      error = assert_raises(Rperf::Error) { Agent::Credentials.new(**given).headers }
      assert_match(/\Athe header '(Authorization|X-Key)' would have several lines: give it a value of one line\z/, error.message)
    end
    assert_equal({"Authorization" => "Bearer swordfish"}, Agent::Credentials.new(token: "swordfish\n").headers)
  end

  def test_what_a_server_repeats_of_the_credentials_is_hidden
    credentials = Agent::Credentials.new(headers: {"x-key" => "\xFFswordfish".b, "x-short" => "1"}, token: "salmon-trout")
    credentials.headers
    assert_equal "401: [hidden] [hidden] [hidden] ", credentials.hide("401: Bearer salmon-trout salmon-trout key=sole salmon-tr", "key=sole")
    assert_equal "\xFFswordfish".b, credentials.headers["x-key"]
    assert_equal "ä [hidden]", credentials.hide("ä \u{FFFD}swordfish")
    assert_equal "Basic #{["ä:\xFF"].pack("m0")}", Agent::Credentials.new(basic_auth: ["ä", "\xFF".b]).headers["Authorization"]
  end

  def test_a_password_that_a_server_repeats_decoded_is_hidden
    [{basic_auth: ["me", -> { "ä swordfish" }]}, {headers: {"Authorization" => "Basic #{["me:ä swordfish"].pack("m0")}"}}].each do |given|
      credentials = Agent::Credentials.new(**given)
      credentials.headers
      assert_equal "bad password [hidden] of [hidden]", credentials.hide("bad password ä swordfish of me:ä swordfish")
      assert_equal "bad password ", credentials.hide("bad password ä sword")
    end
  end

  def test_credentials_of_a_file_are_read_again
    Dir.mktmpdir do |directory|
      path = File.join(directory, "token")
      File.write(path, "one\n")
      credentials = Agent::Credentials.new(token: Agent::Secret.file(path))
      assert_equal "Bearer one", credentials.headers["Authorization"]
      refute_predicate credentials, :renewed?
      File.write(path, "two")
      assert_predicate credentials, :renewed?
      assert_equal "Bearer two", credentials.headers["Authorization"]
      File.delete(path)
      assert_match(/cannot read the secret: No such file/, assert_raises(Rperf::Error) { credentials.headers }.message)
    end
  end

  def test_series
    series = Agent::Series.new(service: "shop", labels: {env: "production", version: nil}, env: {})
    assert_equal({"__name__" => "process_cpu", "service_name" => "shop", "__delta__" => "false", "host" => Socket.gethostname,
                  "env" => "production"}, series.of(:cpu))
    assert_equal %w[wall memory memory], (%i[wall alloc heap].map { |mode| series.of(mode)["__name__"] })
    resource = Agent::Series.new(service: "shop", labels: {env: "production", version: "1.7", team: "a"}).resource
    expected = {"service.name" => "shop", "deployment.environment.name" => "production", "service.version" => "1.7", "team" => "a",
                "host.name" => Socket.gethostname}
    assert_equal expected, resource.except("service.instance.id")
    {{"OTEL_SERVICE_NAME" => "named", "OTEL_RESOURCE_ATTRIBUTES" => "service.name=other"} => "named",
     {"OTEL_RESOURCE_ATTRIBUTES" => "service.name=other"} => "other", {} => File.basename($PROGRAM_NAME, ".*")}.each do |env, service|
      ["", nil].each { |given| assert_equal service, Agent::Series.new(service: given, env:).service }
    end
    assert_equal "shop", Agent::Series.new(service: :shop).of(:cpu)["service_name"]
    refute_equal series.instance, Agent::Series.new(service: "shop").instance
  end

  def test_files_of_other_names_stay
    in_directory do |directory|
      others = %w[app1.cpu.pb.gz app2.cpu.pb.gz 20260102T030405.678Z.CPU.pb.gz 20260102T030405.678Zx.cpu.pb.gz]
      others.each { |name| File.write(File.join(directory, name), "mine") }
      files = Agent::Destinations::Files.new(File.join(directory, "%t.pb.gz"), kept: 2)
      3.downto(1) { |age| assert_equal :sent, files.deliver(Agent::Delivery.new(profile(age:))).kind }
      assert_equal others.sort, Dir.children(directory).select { |name| File.read(File.join(directory, name)) == "mine" }.sort
      assert_equal others.length + 2, Dir.children(directory).length
    end
  end

  # Else all files of the years to come would be removed as soon as they are written.
  def test_files_from_before_the_clock_was_set_back_are_the_oldest
    in_directory do |directory|
      files = Agent::Destinations::Files.new(File.join(directory, "%t.json"), kept: 2)
      written = [-4000, -3900, 30, 20, 10].map do |age|
        files.deliver(Agent::Delivery.new(profile(age:)))
        Dir.children(directory).sort
      end
      assert_equal [1, 2, 2, 2, 2], written.map(&:length)
      assert_equal written[1].last, written[2].last
      assert_equal written[2].first, written[3].first
      assert_equal written[3].last, written[4].first
    end
  end

  # Each look at a file costs a time slice of each thread that computes: 300 files took 65 s.
  def test_the_oldest_file_is_found_without_a_look_at_each
    in_directory do |directory|
      files = Agent::Destinations::Files.new(File.join(directory, "%t.json"))
      deliver = ->(age) { files.deliver(Agent::Delivery.new(profile(age:))) }
      deliver.call(0)
      few = beside_computing { deliver.call(1) }
      100.times { |age| FileUtils.cp(Dir.glob("#{directory}/*").first, Time.at(age).utc.strftime("#{directory}/%Y%m%dT%H%M%S.000Z.cpu.json")) }
      assert_operator beside_computing { deliver.call(2) }, :<, 5 * few
    end
  end

  def test_containers_whose_processes_have_the_same_number_write_files_of_their_own
    in_directory do |directory|
      files = Agent::Destinations::Files.new(File.join(directory, "%t-%p.json"))
      delivery = Agent::Delivery.new(profile)
      3.times { assert_equal :sent, files.deliver(delivery).kind }
      assert_equal 3, Dir.children(directory).length
    end
  end

  def test_a_file_that_cannot_be_written_has_one_sentence
    in_directory do |directory|
      File.write(File.join(directory, "file"), "")
      answer = Agent::Destinations::Files.new(File.join(directory, "file/%t.json")).deliver(Agent::Delivery.new(profile))
      assert_equal :rejected, answer.kind
      assert_match(/\Acannot write '#{Regexp.escape(directory)}\/file\/\S+\.json': (?:File exists|Not a directory)\z/, answer.text)
    end
  end

  # JSON takes nothing else, so `rperf status` would fail.
  def test_names_and_errors_of_files_are_texts
    in_directory do |directory|
      File.write(File.join(directory, "\u00f6"), "")
      files = ["\u00f6/%t.json", "\xff/%t.json"].map { |pattern| Agent::Destinations::Files.new(File.join(directory, pattern)) }
      assert_equal ["file:#{directory}/\u00f6/%t.%m.json", "file:#{directory}/\u{fffd}/%t.%m.json"], files.map(&:name)
      assert_includes files.first.deliver(Agent::Delivery.new(profile)).text, "cannot write '#{directory}/\u00f6/"
    end
  end

  def test_files_in_directories_whose_names_are_no_text
    in_directory do |directory|
      ["\u00f6", "\u00fd".b, "\xff"].each do |name|
        own = File.join(directory.b, "\xfc".b + name.b)
        Dir.mkdir(own)
        files = Dir.chdir(own) { Agent::Destinations::Files.new("#{name}%t.json", kept: 1) }
        2.downto(1) { |age| assert_equal :sent, files.deliver(Agent::Delivery.new(profile(age:))).kind }
        assert_equal 1, Dir.children(own).length
      end
    end
  end

  private

  def period(throttle, used, lasted = PERIOD) = throttle.period({sampling_time_ns: used, duration_ns: lasted}, own: 0)
end
