# frozen_string_literal: true

require_relative "../support/program"

# Profiles as profile stores take them: within limits, and as messages.
class StoreProfileTest < Minitest::Test
  include ProgramSupport

  LIMITS = {samples: 15_000, bytes: 3_670_016, depth: 1_000, values: 20}.freeze
  MAIN = ["a.rb", "<main>"].freeze

  def native(data) = Rperf::Native::Profile.from_h(data)

  # Samples: the leaf, nanoseconds, thread, labels.
  def profile(rows, mode: :cpu)
    labels = rows.map(&:last).uniq
    samples = rows.map { |leaf, ns, thread, set| [[leaf, MAIN], ns, thread, labels.index(set) + 1] }
    native({mode:, frequency: 100, samples:, label_sets: [{}, *labels]})
  end

  # A row for each endpoint, on a thread of its own.
  def endpoints(count) = Array.new(count) { |n| [["a.rb", "Object#get"], 1000 + n, n + 1, {endpoint: "GET /#{n}"}] }

  # What Go's pprof says of the profile.
  def raw(profile)
    in_directory do |directory|
      File.binwrite(File.join(directory, "a.pb.gz"), profile.store_pprof)
      result = run_program("go", "tool", "pprof", "-raw", "a.pb.gz", directory:)
      assert_equal 0, result.code, result.inspect
      return result.out
    end
  end

  def test_what_a_store_gets
    stored, losses = profile(endpoints(60)).for_store(**LIMITS, label_values: {endpoint: 50})
    assert_equal({renamed: {}, folded: {"endpoint" => 10}, cut: 0, lines: false, links: false, thinned: 0}, losses)
    text = raw(stored)
    assert_includes text, "PeriodType: cpu nanoseconds\nPeriod: 10000000\n"
    assert_includes text, "Samples:\ncpu/nanoseconds[dflt]\n"
    assert_includes text, "endpoint:[(other)]"
    assert_includes text, "Comment: folded: 10 values of label endpoint\n"
    refute_match(/thread_seq|GET \/9\]/, text)
    assert_equal (1000...1060).sum, stored.weight
  end

  def test_labels_that_stay_in_the_process
    stored, losses = profile([[["a.rb", "Object#get"], 5, 1, {endpoint: "GET /", email: "someone@example.org", tenant: "example.org"}]])
                     .for_store(**LIMITS, deny: ["email", :tenant])
    refute_includes raw(stored), "example.org"
    assert_includes raw(stored), "endpoint:[GET /]"
    assert_empty losses[:folded]
  end

  def test_a_label_that_is_no_id_of_a_trace_has_another_key
    stored, losses = profile([[["a.rb", "Object#get"], 5, 1, {trace_id: "checkout-7"}]]).for_store(**LIMITS)
    assert_includes raw(stored), "trace_id_:[checkout-7]"
    assert_equal({"trace_id" => 1}, losses[:renamed])
  end

  def test_paths_without_the_directories_of_this_machine
    files = ["/srv/shop/app/cart.rb", "/srv/shop/lib/tax.rb", "/usr/lib/ruby/gems/3.4.0/gems/puma-6.6.0/lib/puma.rb", "<C method>"]
    data = {mode: :cpu, samples: [[files.map { |path| [path, "A#a"] }, 5, 1, 0]], label_sets: [{}]}
    paths = ->(**given) { native(data).for_store(**LIMITS, **given).first.to_h[:samples].first[0].map(&:path) }
    assert_equal files, paths.()
    assert_equal ["app/cart.rb", "lib/tax.rb", "puma-6.6.0/lib/puma.rb", "<C method>"], paths.(short_paths: true)
  end

  def test_threads_do_not_multiply_samples
    rows = Array.new(8) { |n| [["a.rb", "Object#get"], 5, n + 1, {}] }
    stored, = profile(rows, mode: :wall).for_store(**LIMITS)
    assert_equal [[[["a.rb", "Object#get"], MAIN], 40, 0, 0]], stored.to_h[:samples].map { |it| it.to_a.first(4) }
    assert_includes raw(stored), "wall/nanoseconds[dflt]\n         40: 1 2 \n"
  end

  def test_light_stacks_are_thinned
    rows = Array.new(100) { |n| [["a.rb", "Object#part#{n}"], 10 + n, 1, {}] }
    stored, losses = profile(rows).for_store(**LIMITS, samples: 10)
    assert_equal [10, 91, true], [stored.to_h[:samples].length, losses[:thinned], losses[:lines]]
    assert_equal profile(rows).weight, stored.weight
    assert_match(/\[thinned\].*<rperf>/, raw(stored))
  end

  def test_a_class_is_a_frame_for_stores
    data = Rperf.start(mode: :alloc, interval: 1) { 50.times { +"text" } }
    stored, losses = native(data).for_store(**LIMITS)
    text = raw(stored)
    assert_includes text, "alloc_objects/count alloc_space/bytes[dflt]\n"
    assert_match(/ String /, text)
    refute_match(/class:\[|slot:\[/, text)
    assert_empty losses[:folded]
  end

  def test_limits_that_are_none
    error = assert_raises(ArgumentError) { profile(endpoints(1)).for_store(**LIMITS, depth: 0) }
    assert_equal "a store takes no profile with 0 depth", error.message
    assert_raises(KeyError) { profile(endpoints(1)).for_store(samples: 1) }
  end

  def test_a_push_request
    request = Rperf::Native.push_request({"service_name" => "é", "__name__" => "wall"}, "pprof".b, "1-2")
    assert_equal Encoding::BINARY, request.encoding
    labels = "\x0a\x10\x0a\x08__name__\x12\x04wall\x0a\x12\x0a\x0cservice_name\x12\x02é".b
    sample = "\x12\x0c\x0a\x05pprof\x12\x031-2".b
    assert_equal "\x0a".b + [labels.bytesize + sample.bytesize].pack("C") + labels + sample, request
  end
end
