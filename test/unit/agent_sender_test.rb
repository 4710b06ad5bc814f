# frozen_string_literal: true

require "rperf/agent"
require "tmpdir"
require_relative "../support/agent_doubles"
require_relative "../support/test_helper"

# What a sender does with each answer of its destination. Of every profile it says what became of
# it.
class AgentSenderTest < Minitest::Test
  include AgentDoubles

  Agent = Rperf::Agent
  # Seconds: no test waits so long, unless it hangs.
  DEADLINE = 30

  # What is sent from a spool.
  Parcel = Struct.new(:id, :scale)

  # Answers what it is told, and keeps what it was given.
  class Store
    attr_reader :name, :got
    alias id name

    def initialize(answers)
      @name = "store"
      @answers = answers
      @got = Thread::Queue.new
      @renewed = false
    end

    def deliver(delivery)
      kind, after = @answers.shift || :sent
      @got << [delivery, delivery.scale, kind]
      raise kind if kind.is_a?(Exception)
      Agent::Answer.new(kind:, after:, text: "because")
    end

    attr_accessor :renewed
    alias renewed? renewed
    def finish = nil
    def spools? = true
    def entry(delivery) = Agent::Spool::Entry.new(destination: @name, path: "/", headers: {}, body: delivery.id, till: delivery.till)
    def resend(entry) = deliver(Parcel.new(entry.body, 1.0))
  end

  def setup
    @lines = Lines.new
  end

  # Delivers so many profiles to a store that answers so. Returns the counters and what the store
  # got.
  def deliver(*answers, profiles: [profile], settle: true)
    @store = Store.new(answers)
    @sender = Agent::Sender.new(@store, log: @lines, backoff: Eager.new)
    @sender.start
    profiles.each { |one| @sender.push(Agent::Delivery.new(one)) }
    assert @sender.flush(DEADLINE), "everything is delivered or dropped" if settle
    counters = @sender.counters.to_h
    assert_equal counters[:taken], counters.values_at(:sent, :spooled).sum + counters[:dropped].values.sum + @sender.waiting
    counters
  ensure
    @sender.stop if settle
  end

  def kinds = Array.new(@store.got.length) { @store.got.pop.last }

  def test_what_is_sent
    expected = {taken: 3, sent: 3, spooled: 0, sent_from_spool: 0, dropped: {}, failed: {}, sent_without: {}}
    assert_equal expected, deliver(profiles: Array.new(3) { profile })
    assert_empty @lines
  end

  def test_what_waits_for_a_server_that_does_not_answer
    counters = deliver(:unreachable, :unreachable, [:later, 0], :sent, profiles: [profile, profile])
    assert_equal [2, {}, {"unreachable" => 2, "later" => 1}], counters.values_at(:sent, :dropped, :failed)
    first = @store.got.pop.first
    assert_equal [first] * 3, Array.new(3) { @store.got.pop.first }
    assert_equal ["rperf: store does not answer (because); profiles wait for it",
                  "rperf: store takes nothing now (because); profiles wait for it", "rperf: profiles reach store again"], @lines
  end

  # The log may be slow: new profiles come meanwhile, more than wait.
  def test_what_has_arrived_is_not_dropped
    store = Store.new([:unreachable])
    sender = Agent::Sender.new(store, log: @lines, backoff: Eager.new)
    more = Array.new(Agent::Outbox::MOST + 2) { Agent::Delivery.new(profile) }
    @lines.define_singleton_method(:info) { |_line| more.each { |delivery| sender.push(delivery) } }
    sender.start
    sender.push(Agent::Delivery.new(profile))
    assert sender.flush(DEADLINE)
    assert_equal [11, 8, {"outbox full" => 3}], sender.counters.to_h.values_at(:taken, :sent, :dropped)
  ensure
    sender&.stop
  end

  def test_what_a_server_rejects_is_dropped_and_not_repeated
    counters = deliver(:rejected, :rejected, profiles: [profile, profile, profile])
    assert_equal [1, {"rejected" => 2}], counters.values_at(:sent, :dropped)
    assert_equal 3, kinds.length
    assert_equal 1, @lines.length
  end

  def test_what_fails_in_the_server_is_sent_once_more
    assert_equal({"server error" => 1}, deliver(:once_more, :once_more)[:dropped])
    assert_equal %i[once_more once_more], kinds
    assert_equal ["rperf: store has failed (because); the profile is sent once more", "rperf: store: profiles are dropped (server error)"], @lines
    assert_equal 1, deliver(:once_more)[:sent]
  end

  # The first one is dropped for others while it waits. (The thread of the sender is not started.)
  def test_each_profile_is_sent_once_more
    @sender = Agent::Sender.new(Store.new(%i[once_more once_more]), log: @lines, backoff: Eager.new)
    all = Array.new(Agent::Outbox::MOST + 1) { Agent::Delivery.new(profile) }
    all[...-1].each { |delivery| @sender.push(delivery) }
    @sender.send(:deliver, all[0])
    @sender.push(all.last)
    assert_equal({"outbox full" => 1}, @sender.counters.to_h[:dropped])
    @sender.send(:deliver, all[1])
    assert_equal({"outbox full" => 1}, @sender.counters.to_h[:dropped])
  ensure
    @sender.stop
  end

  def test_what_is_too_large_is_made_smaller_once
    assert_equal({"too large" => 2}, deliver(*[:too_large] * 4, profiles: [profile, profile])[:dropped])
    assert_equal [1.0, 0.5] * 2, Array.new(4) { @store.got.pop[1] }
    assert_equal ["rperf: store finds a profile too large (because); half of it is sent", "rperf: store: profiles are dropped (too large)"], @lines
    assert_equal 1, deliver(:too_large)[:sent]
  end

  # A gateway may take less than a store: the limits of stores say nothing of it.
  def test_what_is_sent_after_a_refusal_is_half_of_what_was_refused
    server = Agent::Destinations::Pprof.new(URI("http://127.0.0.1:9"), series: nil, credentials: Agent::Credentials.new)
    bodies = []
    server.define_singleton_method(:resend) { |entry| Agent::Answer.new(kind: (bodies << entry.body).length == 2 ? :sent : :too_large) }
    sender = sender(server)
    stacks = Array.new(2_000) { |number| [[["/app.rb", "Object#part#{Random.new(number).rand(1 << 60)}"]], 1 + number, 1, 0] }
    sender.push(Agent::Delivery.new(Rperf::Native::Profile.from_h({mode: :cpu, samples: stacks, start_time_ns: profile.start_time_ns, duration_ns: 1_000_000_000})))
    assert sender.flush(DEADLINE)
    assert_operator bodies.last.bytesize, :<, 0.6 * bodies.first.bytesize
    samples = bodies.map { |body| Rperf::Native::Profile.read(body, nil).to_h[:samples].map { |sample| sample[1] } }
    assert_equal [2_000, 2_001_000, 2_001_000], [samples.first.length, *samples.map(&:sum)]
    assert_operator samples.last.length, :<=, 1_000
  ensure
    sender&.stop
  end

  def test_what_is_too_old_is_not_sent
    assert_equal [1, {"too old" => 1}], deliver(profiles: [profile(age: 3600), profile]).values_at(:sent, :dropped)
    assert_equal 1, @store.got.length
  end

  def test_refused_credentials_are_waited_for
    deliver(:unauthorized, settle: false)
    @store.got.pop
    assert_equal [0, 1], [@store.got.length, @sender.waiting]
    @sender.stop(within: DEADLINE) # Nothing is waited for: the destination is not well.
    assert_equal({"stopped" => 1}, @sender.counters.to_h[:dropped])
    assert_match(/refuses the credentials/, @lines.last)
  end

  def test_credentials_that_are_renewed_later_are_tried_then
    store = Store.new([:unauthorized])
    looks = [false, true]
    store.define_singleton_method(:renewed?) { looks.shift }
    sender = sender(store, look: 0.01)
    sender.push(Agent::Delivery.new(profile))
    assert sender.flush(DEADLINE)
    assert_equal [1, []], [sender.counters.to_h[:sent], looks]
  ensure
    sender.stop
  end

  def test_a_token_that_is_another_one_each_time_is_tried_after_a_while
    store = Store.new([:unauthorized, :unauthorized])
    store.renewed = true
    waits = []
    backoff = Eager.new
    backoff.define_singleton_method(:failed) { |wanted = nil| waits << wanted; 0 }
    sender = Agent::Sender.new(store, log: @lines, backoff:).tap(&:start)
    sender.push(Agent::Delivery.new(profile))
    assert sender.flush(DEADLINE)
    sender.stop
    assert_equal [nil, nil], waits
  end

  # A token file that is missing for a while is no error of the agent's.
  def test_credentials_that_cannot_be_read
    url = URI("http://127.0.0.1:9")
    credentials = Agent::Credentials.new(token: -> { raise "no token" })
    server = Agent::Destinations::Pprof.new(url, series: nil, credentials:)
    answer = server.resend(Agent::Spool::Entry.new(destination: "", path: "/", headers: {}, body: "", till: 0))
    assert_equal [:unauthorized, "cannot read the secret: no token", false], [answer.kind, answer.text, server.renewed?]
  end

  def test_an_error_of_its_own_ends_the_sender_at_the_third
    # Libraries that replace Net::HTTP raise both kinds.
    [RuntimeError, Exception].each do |kind|
      @lines.clear
      bad = kind.new("a bug")
      counters = deliver(bad, bad, :sent, bad, bad, bad, profiles: Array.new(6) { profile })
      assert_equal [1, {"internal error" => 5}], counters.values_at(:sent, :dropped)
      assert_equal ["rperf: the agent ends after an error of its own: #{kind}: a bug"], @lines
    end
  end

  def in_spool
    Dir.mktmpdir { |directory| yield Agent::Spool.new(File.join(directory, "spool")), File.join(directory, "spool") }
  end

  def sender(store, spool = nil, **) = Agent::Sender.new(store, log: @lines, spool:, backoff: Eager.new, **).tap(&:start)

  # What one process leaves behind, another one sends; each once.
  def test_a_spool_keeps_what_a_process_leaves_behind
    in_spool do |spool|
      left = sender(Store.new([[:later, 600]]), spool, spooling: DEADLINE)
      deliveries = Array.new(11) { Agent::Delivery.new(profile) }
      deliveries.each { |delivery| left.push(delivery) }
      left.stop
      assert_equal [11, 11, {}, 11], [*left.counters.to_h.values_at(:taken, :spooled, :dropped), spool.length]
      stores = Array.new(2) { Store.new([]) }
      senders = stores.map { |store| sender(store, spool) }
      senders.each { |one| one.push(Agent::Delivery.new(profile)) }
      senders.each { |one| assert one.flush(DEADLINE) }
      await("an empty spool") { spool.length.zero? && senders.sum { |one| one.counters.to_h[:sent_from_spool] } == 11 }
      senders.each(&:stop)
      sent = stores.flat_map { |store| Array.new(store.got.length) { store.got.pop.first.id } }
      assert_equal [13, 0], [sent.uniq.length, deliveries.map(&:id).-(sent).length]
    end
  end

  # Beside threads that compute, each profile takes long: eight of them held up the end for 20 s.
  def test_a_slow_spool_does_not_hold_up_the_end
    never = Thread::Queue.new
    spool = Object.new
    spool.define_singleton_method(:put) { |_entry| never.pop(timeout: Agent::Sender::SPOOLING / 2) || true }
    left = sender(Store.new([[:later, 600]]), spool)
    8.times { left.push(Agent::Delivery.new(profile)) }
    left.stop
    counters = left.counters.to_h
    assert_includes 1..3, counters[:spooled]
    assert_equal({"stopped" => 8 - counters[:spooled]}, counters[:dropped])
  end

  def test_a_spool_drops_what_no_server_would_take
    in_spool do |spool, directory|
      old = Agent::Delivery.new(profile(age: 3600))
      spool.put(Store.new([]).entry(old))
      File.binwrite(File.join(directory, "1-x.request"), "\xFFrubbish")
      one = sender(Store.new([]), spool)
      one.push(Agent::Delivery.new(profile))
      await("a drop") { one.counters.to_h[:dropped].any? }
      one.stop
      assert_equal({"too old (spool)" => 1}, one.counters.to_h[:dropped])
    end
  end

  def test_a_spool_that_others_can_read_is_refused
    Dir.mktmpdir do |directory|
      File.chmod(0o755, directory)
      assert_match(/mode 0700/, assert_raises(Rperf::Error) { Agent::Spool.new(directory) }.message)
      File.symlink(directory, "#{directory}/link")
      assert_raises(Rperf::Error) { Agent::Spool.new("#{directory}/link") }
      assert_match(/cannot be used: the directory '#{directory}\/no' does not exist; create it, or name another one\z/, assert_raises(Rperf::Error) { Agent::Spool.new("#{directory}/no/such") }.message)
    end
  end

  # Another process may have taken what makes room here.
  def test_what_a_full_spool_removes_is_counted
    in_spool do |spool, _directory|
      store = Store.new([[:later, 600]])
      def store.entry(_delivery) = super.with(body: "x" * (40 << 20))
      one = sender(store, spool, spooling: DEADLINE)
      3.times { one.push(Agent::Delivery.new(profile)) }
      one.stop
      assert_equal [3, 3, {"spool full" => 2}, 1], [*one.counters.to_h.values_at(:taken, :spooled, :dropped), spool.length]
    end
  end

  # One line each, in an hour.
  def test_the_log_says_that_a_spool_cannot_be_written_and_what_is_lost
    in_spool do |spool, directory|
      one = sender(Store.new([[:later, 600]]), spool)
      FileUtils.rm_rf(directory)
      11.times { one.push(Agent::Delivery.new(profile)) }
      one.stop
      dropped = one.counters.to_h[:dropped]
      assert_equal [11, 0], [dropped.values.sum, one.counters.to_h[:spooled]]
      assert_equal ["rperf: store: the spool cannot be written (No such file or directory)", "rperf: store: profiles are dropped (outbox full)"],
        @lines.grep(/store: /)
    end
  end

  # Each look at a file costs a time slice of each thread that computes: with 200 files, a profile
  # took a minute until it was in the spool, and another one until it was sent.
  def test_a_spool_knows_its_files_by_their_names
    in_spool do |spool, directory|
      entry = Agent::Spool::Entry.new(destination: "d", path: "/", headers: {}, body: "", till: 5)
      spool.put(entry)
      few = beside_computing { spool.put(entry) && spool.take("d") { false } }
      100.times { |number| spool.put(entry.with(destination: "other", till: number)) }
      assert_operator beside_computing { spool.put(entry) && spool.take("d") { false } }, :<, 5 * few
      assert_equal [0o600], Dir.glob("#{directory}/*").map { |file| File.stat(file).mode & 0o777 }.uniq
    end
  end

  def test_a_spool_is_bounded
    in_spool do |spool, directory|
      entry = Agent::Spool::Entry.new(destination: "d", path: "/", headers: {"a" => "b"}, body: "\xFF\n" * (5 << 20), till: 5)
      removed = 0
      8.times { |number| assert spool.put(entry.with(till: number)) { removed += 1 } }
      assert_equal [2, 6, "2"], [removed, spool.length, Dir.children(directory).min[/[1-9]/]]
      refute spool.take("other") { flunk }
      assert(spool.take("d") { |found| assert_equal [entry.body.b, {"a" => "b"}], [found.body.b, found.headers] })
      assert_equal 5, spool.length
      assert(spool.take("d") { false })
      assert_equal 5, spool.length
    end
  end

  # Another process would send it as well. (A server may take ten minutes: see `timeout:`.)
  def test_a_request_on_its_way_is_left_to_the_process_that_took_it
    in_spool do |spool, directory|
      spool.put(Agent::Spool::Entry.new(destination: "d", path: "/", headers: {}, body: "", till: 5))
      again = lambda do |seconds|
        taken = Dir.glob("#{directory}/*.request.*").first
        File.utime(*[Time.now - seconds] * 2, taken)
        spool.take("d") { false }
      end
      results = nil
      spool.take("d") { results = [again.(600), again.(1200)] }
      assert_equal [false, true], results
    end
  end
end
