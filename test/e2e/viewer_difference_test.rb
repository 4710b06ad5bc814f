# frozen_string_literal: true

require_relative "../support/program"
require_relative "../support/viewer_requests"

# What Rperf::Viewer does in a heap session, and how two of its snapshots differ.
class ViewerDifferenceTest < Minitest::Test
  include ProgramSupport
  include ViewerRequests

  BUTTON = "<button>Take a heap snapshot</button>"

  # What is kept.
  Kept = Struct.new(:number)

  # A snapshot before and one after 50 more are kept.
  def with_two_snapshots(app, **options)
    Rperf.start(mode: :heap, interval: 1, **options)
    @kept = Array.new(20) { Kept.new(it) }
    app.take_snapshot!(gc: true, title: "before")
    @kept += Array.new(50) { Kept.new(it) }
    app.take_snapshot!(gc: true, title: "<after>")
  end

  def test_a_heap_session_has_its_own_button
    app = viewer
    Rperf.start(mode: :heap, interval: 1)
    assert_includes request(app).body, BUTTON
    assert_includes request(app).body, "stops the program for one full collection"
    {"" => "no", "gc=1" => "yes"}.each_with_index do |(input, said), index|
      before = GC.stat(:major_gc_count)
      assert_equal 303, request(app, "/snapshots", method: "POST", input:).status
      assert_operator GC.stat(:major_gc_count), :>, before if said == "yes"
      assert_includes request(app, "/snapshots/#{index + 1}").body, "\"gc before snapshot: #{said}\""
    end
  end

  def test_other_sessions_have_not
    app = viewer
    {wall: false, alloc: false, [:wall, :heap] => true, [:cpu, :alloc] => false}.each do |mode, heap|
      Rperf.start(mode:)
      assert_equal heap, request(app).body.include?(BUTTON), mode.inspect
      Rperf.stop
    end
    refute_includes request(app).body, "<button>Take"
    error = assert_raises(ArgumentError) { app.take_snapshot!(gc: "yes") }
    assert_match(/\Agc: /, error.message)
  end

  def test_the_list_lets_choose_two
    app = viewer
    Rperf.start(mode: :heap)
    app.take_snapshot!
    refute_includes request(app).body, "difference"
    2.times { app.take_snapshot! }
    list = request(app, root: "/a").body
    assert_includes list, "<form id=\"difference\" action=\"/a/difference\">"
    assert_equal [%w[target 3], %w[base 2]], chosen(list)
  end

  def chosen(list) = list.scan(/name="(base|target)" value="(\d)" checked/)

  def test_at_first_two_of_one_mode_are_chosen
    app = viewer
    Rperf.start(mode: [:wall, :heap])
    assert_equal [[1, 2], [3, 4]], Array.new(2) { app.take_snapshot! }
    assert_equal [%w[target 4], %w[base 2]], chosen(request(app).body)
    assert_equal 200, request(app, "/difference?base=2&target=4").status
  end

  def test_the_page_shows_what_changed
    app = viewer
    with_two_snapshots(app)
    page = request(app, "/difference?base=1&target=2")
    assert_equal 200, page.status
    assert_includes page.body, "<title>&lt;after&gt; compared with before"
    assert_includes page.body, '"downloads":[["snapshots/1.json.gz","base"],["snapshots/2.json.gz","target"]]'
    assert_equal [20, 70], [1, 2].map { |number| kept(app, number) }
  end

  # How many of them a snapshot has in use.
  def kept(app, number)
    in_directory do |directory|
      path = write_file(directory, "p.pb.gz", request(app, "/snapshots/#{number}.pb.gz").body)
      data = Rperf.load(path)
      data[:samples].sum { |sample| data[:label_sets][sample[3]][:class] == Kept.name ? sample.values[2] : 0 }
    end
  end

  def test_what_cannot_be_compared_is_said
    app = viewer
    with_two_snapshots(app)
    Rperf.stop
    Rperf.start(mode: :wall)
    app.take_snapshot!
    {
      "base=1&target=1" => [400, "the snapshot 1 does not differ from itself: choose two"],
      "base=1&target=9" => [404, "there is no snapshot 9: it may have had to make room for a newer one"],
      "base=1" => [400, "base and target are the numbers of two snapshots: choose both in the list"],
      "base=1&target=x" => [400, "base and target are the numbers of two snapshots: choose both in the list"],
      "" => [400, "base and target are the numbers of two snapshots: choose both in the list"],
      "base=%FF&target=1" => [400, "base and target are the numbers of two snapshots: choose both in the list"]
    }.each do |query, answer|
      found = request(app, "/difference?#{query}")
      assert_equal answer, [found.status, found.body.chomp], query
    end
    found = request(app, "/difference?base=1&target=3")
    assert_equal 409, found.status
    assert_match(/\A[^\n]*inuse_space[^\n]*wall[^\n]*\n\z/, found.body)
  end

  def test_it_is_as_protected_as_all_else
    app = Rperf::Viewer.new
    with_two_snapshots(app)
    assert_equal 403, request(app, "/difference?base=1&target=2", HTTP_HOST: "localhost").status
    assert_equal 405, request(viewer, "/difference?base=1&target=2", method: "POST").status
    assert_equal 403, request(viewer, "/snapshots", method: "POST", input: "gc=1", HTTP_SEC_FETCH_SITE: "cross-site").status
  end
end
