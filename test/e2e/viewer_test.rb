# frozen_string_literal: true

require "json"
require "net/http"
require_relative "../support/program"
require_relative "../support/viewer_requests"

# Rperf::Viewer as a Rack app: with Rack's own checks, and behind a real server.
class ViewerTest < Minitest::Test
  include ProgramSupport
  include ViewerRequests

  FORM = "application/x-www-form-urlencoded"
  HOSTILE = %q(<script>alert("x")</script>'&)

  # Takes one snapshot with a label.
  def with_snapshot(app, title: "first", label: "quick")
    Rperf.start(mode: :wall)
    Rperf.label(kind: label) { sleep 0.02 }
    app.take_snapshot!(title:)
  end

  def test_the_list_the_page_and_the_file
    app = viewer
    assert_equal 1, with_snapshot(app)
    list = request(app)
    assert_equal [200, "text/html; charset=utf-8"], [list.status, list.content_type]
    assert_includes list.body, "<a href=\"/snapshots/1\">first</a>"
    page = request(app, "/snapshots/1")
    assert_equal 200, page.status
    ["<title>first", "Kernel#sleep", "quick"].each { |text| assert_includes page.body, text }
    file = request(app, "/snapshots/1.pb.gz")
    assert_equal "attachment; filename=\"rperf-1.pb.gz\"", file["content-disposition"]
    in_directory do |directory|
      File.binwrite(File.join(directory, "x"), file.body)
      data = Rperf.load(File.join(directory, "x"))
      assert_equal [:wall, [{}, {kind: "quick"}]], [data[:mode], data[:label_sets].map { |set| set.transform_keys(&:to_sym) }]
    end
  end

  def test_a_snapshot_in_a_signal_handler
    app, taken = viewer
    Rperf.start(mode: :wall)
    before = trap("USR2") { taken = app.take_snapshot! }
    Process.kill("USR2", Process.pid)
    Thread.pass until taken
    assert_equal [1, 200], [taken, request(app, "/snapshots/1").status]
  ensure
    trap("USR2", before)
  end

  # What the page offers, its links, and where files lie.
  def local_of(app) = JSON.parse(request(app, "/snapshots/1", HTTP_HOST: "localhost").body[/"local":(\{"downloads".*?\}\})/, 1])

  EDITOR = "vscode://file{path}:{line}"
  REPOSITORY = "https://example.org/{path}#L{line}"

  def test_pages_have_links_and_their_profile_to_download
    ENV["RACK_ENV"] = "development"
    app = viewer(permit: nil, editor: EDITOR, repository: REPOSITORY)
    with_snapshot(app)
    local = local_of(app)
    assert_equal [[["1.json.gz", "profile"]], EDITOR, REPOSITORY], local.values_at("downloads", "editor", "repository")
    refute_empty local["files"]
    assert_empty local["files"].values.grep_v(%r{\A/})
    file = request(app, "/snapshots/1.json.gz", HTTP_HOST: "localhost")
    assert_equal [200, "attachment; filename=\"rperf-1.json.gz\""], [file.status, file["content-disposition"]]
    in_directory do |directory|
      File.binwrite(File.join(directory, "x"), file.body)
      assert_equal({kind: "quick"}, Rperf.load(File.join(directory, "x"))[:label_sets].last)
    end
  ensure
    ENV.delete("RACK_ENV")
  end

  def test_pages_that_others_get_do_not_say_where_files_lie
    app = viewer(editor: EDITOR, repository: REPOSITORY)
    with_snapshot(app)
    assert_equal({"downloads" => [["1.json.gz", "profile"]], "editor" => nil, "repository" => REPOSITORY, "files" => {}}, local_of(app))
    refute_includes request(app, "/snapshots/1").body, ROOT
    error = assert_raises(ArgumentError) { viewer(repository: "javascript:{path}") }
    assert_match(/\A--repository \(repository:, RPERF_REPOSITORY\) takes the address of a line/, error.message)
    assert_match(/takes the address of a line, .*, not 5\z/, assert_raises(ArgumentError) { viewer(repository: 5) }.message)
  end

  def test_snapshots_of_a_session_with_a_timeline_show_it
    app = viewer
    Rperf.start(mode: :wall, timeline: true)
    2.times do |time|
      sleep 0.001
      number = app.take_snapshot!(clear: true)
      assert_equal time + 1, number
      assert_includes request(app, "/snapshots/#{number}").body, '"moment":['
    end
  end

  def test_it_can_be_mounted_anywhere
    app = viewer
    with_snapshot(app)
    assert_includes request(app, "/", root: "/a/b").body, "<a href=\"/a/b/snapshots/1\">"
    assert_includes request(app, "", root: "/a/b").body, "action=\"/a/b/snapshots\""
    assert_equal "/a/b/", request(app, "/snapshots", method: "POST", root: "/a/b")["location"]
    assert_includes request(app, "/", root: "/\"><b>").body, "action=\"/&quot;&gt;&lt;b&gt;/snapshots\""
  end

  # The application answers all that is not below the path.
  def test_as_middleware
    inner = ->(env) { [200, {"content-type" => "text/plain"}, ["app #{env["SCRIPT_NAME"]}|#{env["PATH_INFO"]}"]] }
    {{} => "/rperf", {path: "/tools/profiles/"} => "/tools/profiles"}.each do |options, path|
      app = Rperf::Viewer.new(inner, permit: ->(_env) { true }, **options)
      assert_equal 1, with_snapshot(app)
      Rperf.stop
      [path, "#{path}/"].each { |place| assert_includes request(app, place, root: "/a").body, "<a href=\"/a#{path}/snapshots/1\">" }
      assert_includes request(app, "#{path}/snapshots/1").body, "Kernel#sleep"
      ["/", "#{path}er", "/x#{path}"].each { |place| assert_equal "app /a|#{place}", request(app, place, root: "/a").body }
    end
    denied = Rperf::Viewer.new(inner)
    assert_equal [403, 200], [request(denied, "/rperf/").status, request(denied, "/").status]
  end

  def test_the_instance_and_data_that_were_taken_before
    app = viewer
    assert_same app, Rperf::Viewer.instance
    data = Rperf.start(mode: :wall) { Rperf.label(kind: "old") { sleep 0.02 } }
    assert_equal [1, 2], [app.add_snapshot(data, title: "taken before"), app.add_snapshot(data)]
    assert_includes request(app).body, "taken before"
    assert_includes request(app, "/snapshots/1").body, "Kernel#sleep"
    assert_equal "there is no data to save: Rperf.stop returned nil, as no session ran",
      assert_raises(ArgumentError) { app.add_snapshot(nil) }.message
  end

  def test_head
    app = viewer
    with_snapshot(app)
    ["/", "/snapshots/1.pb.gz"].each do |path|
      head, get = request(app, path, method: "HEAD"), request(app, path)
      assert_equal [200, "", get["content-length"]], [head.status, head.body, head["content-length"]]
    end
  end

  def test_taking_a_snapshot
    app = viewer
    Rperf.start(mode: :wall)
    Rperf.label(kind: "before") { sleep 0.02 }
    answer = request(app, "/snapshots", method: "POST", input: "title=over+the+%C3%BCmlaut&clear=1")
    assert_equal [303, "/"], [answer.status, answer["location"]]
    assert_includes request(app).body.dup.force_encoding("UTF-8"), ">over the \u00fcmlaut</a>"
    assert_includes request(app, "/snapshots/1").body, "before"
    refute_includes Rperf.stop.fetch(:label_sets, []), {kind: "before"}, "it was cleared"
    answer = request(app, "/snapshots", method: "POST")
    assert_equal [409, "no session runs in this process: start one with Rperf.start\n"], [answer.status, answer.body]
    assert_nil app.take_snapshot!
  end

  def test_a_session_that_has_no_snapshots
    Rperf.start(aggregate: false)
    answer = request(viewer, "/snapshots", method: "POST")
    assert_equal [409, "a snapshot needs merged samples: start the session without 'aggregate: false'\n"], [answer.status, answer.body]
  end

  def test_forms_that_are_none
    Rperf.start
    app = viewer
    {"title=\u00fc" => 400, "title=%zz" => 303, "title=#{"x" * 10_000}" => 413, "title=%FF%FE" => 303, "a=1;b" => 303, "" => 303}.each do |input, status|
      assert_equal status, request(app, "/snapshots", method: "POST", input:).status, input[0, 20]
    end
  end

  def test_forms_that_rack_has_read
    Rperf.start
    app = viewer
    {nil => "parsed", StringIO.new => "in the body"}.each do |other_input, title|
      parsed = {"rack.request.form_hash": {"title" => "parsed", "file" => {tempfile: nil}}, **(other_input ? {"rack.request.form_input": other_input} : {})}
      request(app, "/snapshots", method: "POST", input: other_input ? "title=in+the+body" : "", **parsed)
      assert_includes request(app).body, ">#{title}</a>"
    end
    assert_equal 413, request(app, "/snapshots", method: "POST", "rack.request.form_hash": {"title" => "x" * 10_000}).status
  end

  def test_the_oldest_goes
    app = viewer(max_snapshots: 2)
    Rperf.start
    assert_equal [1, 2, 3], Array.new(3) { app.take_snapshot! }
    assert_equal [404, 200, 200], [1, 2, 3].map { |number| request(app, "/snapshots/#{number}").status }
    assert_equal %w[3 2], request(app).body.scan(%r{snapshots/(\d+)"}).flatten
  end

  def test_many_threads
    app = viewer(max_snapshots: 5)
    Rperf.start
    numbers = Array.new(4) { Thread.new { Array.new(5) { app.take_snapshot!.tap { request(app) } } } }.flat_map(&:value)
    assert_equal (1..20).to_a, numbers.sort
    assert_equal 5, request(app).body.scan(".pb.gz").length
  end

  def test_nothing_hostile_runs
    app = viewer
    with_snapshot(app, title: HOSTILE, label: "</script>#{HOSTILE}")
    list, page = request(app), request(app, "/snapshots/1")
    assert_includes list.body, CGI.escapeHTML(HOSTILE)
    [list, page].each { |answer| refute_includes answer.body, "<script>alert" }
    refute_includes list.body, "<script"
    assert_match(/default-src 'none'; script-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; .*frame-ancestors 'none'/, list["content-security-policy"])
    # "no-referrer" would make browsers send "Origin: null" with the form.
    assert_equal %w[same-origin no-referrer], [list, page].map { |answer| answer["referrer-policy"] }
    assert_equal %w[no-store DENY nosniff], %w[cache-control x-frame-options x-content-type-options].map { |name| page[name] }
  end

  def test_snapshots_are_not_among_the_objects_of_the_program
    app = viewer
    Rperf.start(mode: :heap, interval: 1)
    2.times { app.take_snapshot!(gc: true) }
    app.add_snapshot(Rperf.snapshot(gc: true))
    refute_includes Rperf.stop[:label_sets].map { |labels| labels[:class] }, "Rperf::Viewer::Snapshot"
  end

  def test_titles
    app = viewer
    Rperf.start
    [nil, "", " \n", "x" * 500, "\xff".b, :symbol, 7].each { |title| app.take_snapshot!(title:) }
    titles = request(app).body.scan(%r{snapshots/\d+">([^<]*)</a>}).flatten.reverse
    assert_equal ["snapshot 1", "snapshot 2", "snapshot 3", "x" * 200, "\ufffd", "symbol", "7"], titles.map { |title| title.dup.force_encoding("UTF-8") }.reject { |title| title == "pprof" }
  end

  def test_other_paths_and_methods
    app = viewer
    with_snapshot(app)
    %w[/x /snapshots/ /snapshots/2 /snapshots/0 /snapshots/1/ /snapshots/1.json /snapshots/../1 /snapshots/99999999999999999999].each do |path|
      assert_equal 404, request(app, path).status, path
    end
    assert_equal 404, app.call({"REQUEST_METHOD" => "GET", "PATH_INFO" => "/\xFF"}).first, "what is no text"
    {["/", "POST"] => "GET, HEAD", ["/snapshots", "GET"] => "POST", ["/snapshots", "HEAD"] => "POST", ["/snapshots/1", "DELETE"] => "GET, HEAD"}.each do |(path, method), allow|
      answer = request(app, path, method:)
      assert_equal [405, allow], [answer.status, answer["allow"]]
    end
  end

  def test_other_sites_cannot_take_snapshots
    Rperf.start
    app = viewer
    {
      {HTTP_SEC_FETCH_SITE: "same-origin"} => 303, {HTTP_SEC_FETCH_SITE: "none"} => 303,
      {HTTP_SEC_FETCH_SITE: "cross-site"} => 403, {HTTP_SEC_FETCH_SITE: "same-site"} => 403,
      {HTTP_SEC_FETCH_SITE: "cross-site", HTTP_ORIGIN: "https://app.example"} => 403,
      {HTTP_ORIGIN: "https://app.example"} => 303, {HTTP_ORIGIN: "http://APP.example"} => 303,
      {HTTP_ORIGIN: "https://evil.example"} => 403, {HTTP_ORIGIN: "https://app.example.evil"} => 403,
      {HTTP_ORIGIN: "https://app.example:8443"} => 403, {HTTP_ORIGIN: "null"} => 403, {} => 303
    }.each do |headers, status|
      answer = request(app, "/snapshots", method: "POST", HTTP_HOST: "app.example", **headers)
      assert_equal status, answer.status, headers.inspect
    end
  end

  def test_denied_outside_of_development
    app = Rperf::Viewer.new
    [{}, {"RACK_ENV" => "production"}, {"RACK_ENV" => "development", "RAILS_ENV" => "production"}, {"RACK_ENV" => "test"}].each do |environment|
      ENV.update({"RACK_ENV" => nil, "RAILS_ENV" => nil}.merge(environment))
      %w[/ /snapshots/1 /snapshots/1.pb.gz /nothing].each do |path|
        answer = request(app, path, HTTP_HOST: "localhost")
        assert_equal [403, "Rperf::Viewer answers in development only, unless a permit: lambda says yes\n"], [answer.status, answer.body], environment.inspect
      end
      assert_equal 403, request(app, "/snapshots", method: "POST", HTTP_HOST: "localhost").status
    end
  end

  def test_development
    app = Rperf::Viewer.new
    [{"RACK_ENV" => "development"}, {"RACK_ENV" => "production", "RAILS_ENV" => "development"}].each do |environment|
      ENV.update({"RACK_ENV" => nil, "RAILS_ENV" => nil}.merge(environment))
      %w[localhost localhost:3000 127.0.0.1:9292 [::1]:80].each { |host| assert_equal 200, request(app, HTTP_HOST: host).status, host }
      %w[evil.example localhost.evil.example].each do |host|
        answer = request(app, HTTP_HOST: host)
        assert_equal [403, "Rperf::Viewer answers requests to localhost only, unless a permit: lambda says yes\n"], [answer.status, answer.body]
      end
    end
  end

  def test_the_lambda_decides
    ENV["RACK_ENV"] = "development"
    seen = []
    app = viewer(permit: ->(env) { seen << env["PATH_INFO"]; env["HTTP_X_ADMIN"] == "yes" })
    assert_equal 200, request(app, HTTP_X_ADMIN: "yes", HTTP_HOST: "app.example").status
    denied = request(app, "/snapshots/1", HTTP_HOST: "localhost")
    assert_equal [403, "Rperf::Viewer does not permit this request\n"], [denied.status, denied.body]
    assert_equal %w[/ /snapshots/1], seen
  end

  def test_wrong_keywords
    [0, -1, 1.5, "3", nil].each do |value|
      error = assert_raises(ArgumentError) { Rperf::Viewer.new(max_snapshots: value) }
      assert_equal "max_snapshots: must be a whole number, 1 or more, not #{value.inspect}", error.message
    end
    ["", "/", "rperf", nil, 3].each do |path|
      error = assert_raises(ArgumentError) { Rperf::Viewer.new(proc {}, path:) }
      assert_equal "path: must begin with a slash and name a place of its own, such as /rperf, not #{path.inspect}", error.message
    end
    error = assert_raises(ArgumentError) { Rperf::Viewer.new(permit: true) }
    assert_equal "permit: must be a lambda that is called with the request's environment, not true", error.message
  end

  SERVER = <<~'RUBY'
    require "rackup"
    require "rackup/handler/webrick"
    require "rperf"
    require "rperf/viewer"

    VIEWER = Rperf::Viewer.new
    class Work
      def call(_env)
        Rperf.label(path: "/work") { 2_000_000.times { |number| number.to_s } }
        [200, {"content-type" => "text/plain"}, ["done"]]
      end
    end
    Rperf.start(mode: :wall)
    app = Rack::Builder.new { map("/tools/rperf") { run VIEWER }; run Work.new }.to_app
    log = WEBrick::Log.new(File::NULL)
    Rackup::Handler::WEBrick.run(app, Host: "127.0.0.1", Port: 0, Logger: log, AccessLog: []) do |server|
      server.config[:StartCallback] = -> { puts "port #{server.listeners.first.addr[1]}."; $stdout.flush }
      trap("TERM") { server.shutdown }
    end
  RUBY

  # A server of its own process, which calls nothing of rperf's but what the documents show.
  def serving
    in_directory do |directory|
      write_file(directory, "server.rb", SERVER)
      running = launch(RUBY, "-I#{Paths::LIB}", "server.rb", directory:, env: {"RACK_ENV" => "development"})
      running.await_output(".\n")
      yield "http://127.0.0.1:#{running.out[/\d+/]}"
      running.signal("TERM")
      result = running.finish
      assert_equal [0, ""], [result.code, result.err], result.inspect
    end
  end

  def test_behind_a_real_server
    serving do |root|
      base = "#{root}/tools/rperf"
      assert_equal "done", Net::HTTP.get(URI("#{root}/work"))
      answer = Net::HTTP.post(URI("#{base}/snapshots"), "title=busy", "Origin" => root, "Content-Type" => FORM)
      assert_equal ["303", "/tools/rperf/"], [answer.code, URI(answer["location"]).path]
      assert_equal "403", Net::HTTP.post(URI("#{base}/snapshots"), "", "Origin" => "http://evil.example", "Content-Type" => FORM).code
      assert_includes Net::HTTP.get(URI("#{base}/")), "<a href=\"/tools/rperf/snapshots/1\">busy</a>"
      assert_includes Net::HTTP.get(URI(base)), "busy"
      page = Net::HTTP.get(URI("#{base}/snapshots/1"))
      ["Work#call", "/work"].each { |text| assert_includes page, text }
      assert_equal "403", Net::HTTP.get_response(URI("#{base}/"), "Host" => "evil.example").code
      check_file(Net::HTTP.get(URI("#{base}/snapshots/1.pb.gz")))
    end
  end

  RAILS = <<~'RUBY'
    require "rails"
    require "action_controller/railtie"
    require "rperf"
    require "rperf/viewer"

    PROFILES = Rperf::Viewer.new
    class Shop < Rails::Application
      config.load_defaults 7.2
      config.eager_load = false
      config.logger = Logger.new(nil)
      config.secret_key_base = "0" * 64
      routes.append { mount PROFILES => "/rperf" }
    end
    Shop.initialize!
    Rperf.start(mode: :wall)
    sleep 0.02

    app = Rack::MockRequest.new(Shop)
    host = {"HTTP_HOST" => "localhost:3000", "HTTP_ORIGIN" => "http://localhost:3000"}
    puts app.post("/rperf/snapshots", **host, params: {title: "deploy"}).status
    puts app.get("/rperf", host).body[/href="[^"]*">deploy/]
    puts app.get("/rperf/snapshots/1", host).body.include?("Kernel#sleep")
    puts app.get("/rperf/nothing", host).status
  RUBY

  def test_mounted_in_rails
    in_directory do |directory|
      write_file(directory, "shop.rb", RAILS)
      {"development" => ["303", "href=\"/rperf/snapshots/1\">deploy", "true", "404"], "production" => ["403", "", "false", "403"]}.each do |name, lines|
        env = {"RAILS_ENV" => name, "RACK_ENV" => "development"}
        result = run_program(RUBY, "-I#{Paths::LIB}", "shop.rb", directory:, env:)
        assert_equal [0, lines], [result.code, result.out.lines(chomp: true)], result.inspect
      end
    end
  end

  def check_file(bytes)
    in_directory do |directory|
      File.binwrite(File.join(directory, "snapshot.pb.gz"), bytes)
      assert_includes rperf("report", "--top", "snapshot.pb.gz", directory:).out, "Integer#to_s"
    end
  end
end
