# frozen_string_literal: true

require "json"
require_relative "support/doc_blocks"
require_relative "support/programs"

# Rperf::Middleware behind real servers, over HTTP.
class ServersTest < Minitest::Test
  include IntegrationPrograms

  APP = <<~RUBY
    require "rperf/rack"
    #{IntegrationPrograms::WORK}
    app = lambda do |env|
      case env["PATH_INFO"]
      when "/raise" then raise "raised on purpose"
      when "/stream"
        parts = Enumerator.new { |body| work(0.2); body << Rperf.labels.inspect }
        return [200, {}, parts]
      when "/file" then return [200, {}, File.open(__FILE__)]
      end
      work(0.2) if env["PATH_INFO"].start_with?("/slow")
      [200, {}, [env["QUERY_STRING"] == "pid" ? Process.pid.to_s : Rperf.labels.inspect]]
    end
    BUILT = Rperf::RackMiddleware.new(app)
  RUBY

  WEBRICK = <<~RUBY
    require_relative "app"
    require "rackup/handler/webrick"
    Rperf.start(mode: :wall, output: "profile.json")
    Rackup::Handler::WEBrick.run(BUILT, Host: "127.0.0.1", Port: 0, AccessLog: [], Logger: WEBrick::Log.new(File::NULL)) do |server|
      trap(:TERM) { server.shutdown }
      $stdout.sync = true
      puts "127.0.0.1:\#{server.listeners.first.addr[1]}"
    end
    Rperf.stop
  RUBY

  RACKUP = <<~RUBY
    require_relative "app"
    Rperf.start(mode: :wall, output: "profile.json")
    at_exit { Rperf.stop }
    run BUILT
  RUBY

  # A branch that is found without a matcher, nested ones, and an application that is mounted in
  # another one.
  RODA = <<~RUBY
    require "rperf/middleware"
    require "roda"
    #{IntegrationPrograms::WORK.gsub("def work", "def Kernel.work")}
    class Users < Roda
      plugin :rperf
      route do |r|
        Kernel.work(0.05) if r.remaining_path.end_with?("/else")
        r.get(:name) { |name| Kernel.work(0.2); name }
      end
    end

    class App < Roda
      plugin :rperf
      plugin :hash_branches
      plugin :unescape_path
      hash_branch("posts") do |r|
        r.on(String) do |slug|
          Kernel.work(0.05) if r.remaining_path == "/else"
          r.is { Kernel.work(0.2); slug == "unknown" ? (response.status = 404) && nil : slug }
          r.get("comments", Integer) { |id| Kernel.work(0.2); id.to_s }
        end
      end
      route do |r|
        r.hash_branches
        r.on("users") { r.run(Users) }
      end
    end
    Rperf.start(mode: :wall, output: "profile.json")
    at_exit { Rperf.stop }
    use Rperf::Middleware
    run App.freeze.app
  RUBY

  # Gives an application of a line something to do.
  WORKER = <<~RUBY
    #{IntegrationPrograms::WORK.gsub("def work", "def Kernel.work")}
    Worker = Struct.new(:app) do
      def call(env)
        Kernel.work(0.2)
        app.call(env)
      end
    end
  RUBY

  SINATRA_BUSY = <<~RUBY
    #{IntegrationPrograms::WORK}
    before { sleep 0.005 if request.path_info.start_with?("/no/") }
    get("/busy/:number") do
      work(0.2)
      Rperf.labels.inspect
    end
  RUBY

  def test_webrick
    in_directory do |directory|
      write_file(directory, "app.rb", APP)
      write_file(directory, "webrick.rb", WEBRICK)
      result = serve(RUBY, "webrick.rb", directory:) { |server| check_answers(server) }
      assert_equal 0, result.code, result.inspect
      check_profile(directory)
    end
  end

  def test_puma_with_threads
    in_directory do |directory|
      write_file(directory, "app.rb", APP)
      write_file(directory, "config.ru", RACKUP)
      serve(*puma("--threads", "3:3"), directory:) do |server|
        check_answers(server)
        answers = Array.new(6) { |number| Thread.new { server.get("/at/once#{number}") } }.map(&:value)
        assert_equal (0..5).map { |number| {endpoint: "GET /at/once#{number}"}.inspect }, answers
      end
      check_profile(directory)
      check_own_threads(directory)
    end
  end

  # As `rackup` loads it, and Rack's handler, which makes the module alone.
  def test_puma_that_is_loaded_after_the_middleware_was_built
    ["", "require 'rackup'; Rackup::Handler.get('puma')"].each do |before|
      in_directory do |directory|
        result = ruby("-e", <<~RUBY, directory:)
          require "rperf/middleware"
          #{before}
          application = Rperf::Middleware.new(->(_env) { [200, {}, []] }, server: true).freeze
          puts defined?(Puma::Server).inspect
          application.call({})
          require "puma"
          application.call({})
          puts Puma::Server.ancestors.first
        RUBY
        assert_equal "nil\nRperf::Middleware::PumaRequests\n", result.out, result.inspect
      end
    end
  end

  # Puma 8 also names the thread; of a version to come nothing is known but that it serves requests.
  def test_handlers_with_other_arguments
    {"Thread.current, client, requests" => "GET /found", "requests" => "no label"}.each do |arguments, answer|
      in_directory do |directory|
        write_file(directory, "config.ru", <<~RUBY)
          require "rperf/middleware"
          Rperf.start
          Rperf::Middleware.new(nil, server: true)
          class Puma::Server
            def handle_request(*) = Puma::Request.instance_method(:handle_request).bind_call(self, *$served)
            prepend(Module.new { def handle_request(client, requests) = ($served = [client, requests]) && super(#{arguments}) })
          end
          run ->(env) { [200, {}, [env["rperf.request"]&.name || "no label"]] }
        RUBY
        serve(*puma, directory:) { |server| assert_equal answer, server.get("/found") }
      end
    end
  end

  # A session does not live on in a forked worker: each begins its own.
  def test_puma_with_two_workers
    in_directory do |directory|
      write_file(directory, "app.rb", APP)
      write_file(directory, "config.ru", "require_relative 'app'\nrun BUILT\n")
      write_file(directory, "puma.rb", <<~RUBY)
        workers 2
        threads 1, 1
        preload_app!
        on_worker_boot do
          Rperf.start(mode: :wall, output: "worker-\#{Process.pid}.json")
          at_exit { Rperf.stop }
        end
      RUBY
      workers = []
      serve(*puma("--config", "puma.rb"), directory:) do |server|
        2.times { |number| server.program.await_output("Worker #{number} (PID") }
        # Which worker takes a connection is not for the test to say.
        await("an answer of each worker") do
          workers.concat(Array.new(8) { Thread.new { server.get("/slow/7?pid") } }.map(&:value))
          workers.uniq.length == 2
        end
      end
      profiles = Dir[File.join(directory, "worker-*.json")]
      assert_equal 2, profiles.length, Dir.children(directory).inspect
      profiles.each { |profile| assert_weights({"GET /slow/:id" => 200_000_000}, weights(:endpoint, profile)) }
      assert_weights({"GET /slow/:id" => workers.length * 200_000_000}, weights(:endpoint, *profiles))
      check_names(profiles.map { |profile| Rperf.load(profile) })
      profiles.each { |profile| check_idle(profile, directory) }
    end
  end

  # Puma's own threads, and its pool between two requests, do not drown the requests.
  def check_idle(profile, directory)
    folded, all = [[], ["--idle"]].map { |options| report(profile, *options, directory:) }
    assert_operator folded.dig("idle", "threads"), :>=, 3
    assert_equal all.fetch("total"), folded.fetch("total") + folded.dig("idle", "weight")
    requests = Rperf.load(profile).then { |data| data[:samples].sum { |sample| data[:label_sets][sample[3]][:endpoint] ? sample[1] : 0 } }
    # (Without its C code the reactor computes all the time.)
    reactor = folded.fetch("functions").find { |function| function.fetch("name") == "Puma::Reactor#run" }
    assert_operator requests, :>, (folded.fetch("total") - reactor.to_h.fetch("cum", 0)) / 4, folded
    # Requests wait: to be woken, and on a busy machine then for the GVL and a processor.
    waits = folded.fetch("functions").sum { |function| function.fetch("name").start_with?("[") ? function.fetch("flat") : 0 }
    assert_operator requests, :<=, waits, "what is labelled is there"
    assert_operator folded.fetch("total") * 2, :<, all.fetch("total"), "it is less than half"
  end

  def report(profile, *options, directory:)
    JSON.parse(start(RUBY, File.join(ROOT, "exe/rperf"), "report", "--top", "--format", "json", *options, profile, directory:).finish.out)
  end

  # Workers by the titles that Puma gives them, and their threads by its names.
  def check_names(workers)
    processes = workers.map { |data| data.fetch(:processes).fetch(0) }
    assert_equal [0, 1], processes.map { |process| process[:command][/\Apuma: cluster worker (\d): #{process[:ppid]} /, 1].to_i }.sort
    workers.each do |data|
      served = data[:samples].select { |sample| data[:label_sets][sample[3]][:endpoint] }.map { |sample| sample[2] }
      names = data[:threads].filter_map { |thread| thread[:name] if served.include?(thread[:thread_seq]) }
      assert_equal ["puma srv tp 001"], names
    end
  end

  def test_the_rack_recipe
    in_directory do |directory|
      write_file(directory, "config.ru", WORKER + DocBlocks.fetch("Rack", "config.ru").sub(/^run/, "use Worker\n\\0"))
      serve(*puma, directory:) { |server| assert_equal "Hello from /api/users\n", server.get("/api/users") }
      assert_weights({"GET /api/users" => 200_000_000}, weights(:endpoint, File.join(directory, "profile.pb.gz")))
      check_pprof(directory)
    end
  end

  def test_the_recipe_for_names_of_ones_own
    in_directory do |directory|
      write_file(directory, "config.ru", "require 'rperf'\nRperf.start\n#{DocBlocks.fetch("How an endpoint is named", "config.ru")}")
      serve(*puma, directory:) do |server|
        assert_equal [{route: "post"}, {route: "post"}, {route: "search"}, {route: "unknown"}].map(&:inspect),
          ["/posts/one", "/posts/two", "/search?q=x", "/else"].map { |path| server.get(path) }
      end
    end
  end

  def test_sinatra
    in_directory do |directory|
      write_file(directory, "app.rb", DocBlocks.fetch("Sinatra", "app.rb") + SINATRA_BUSY)
      check_sinatra(RUBY, "-r#{PUMA_IN_TURN}", "app.rb", "-o", "127.0.0.1", "-p", "0", "-e", "production", directory:)
    end
  end

  # With the handler after `require "sinatra"`.
  def test_sinatra_in_a_rackup_file
    in_directory do |directory|
      write_file(directory, "app.rb", <<~RUBY + SINATRA_BUSY)
        require "sinatra"
        require "rperf/middleware"
        Rperf.start(mode: :wall, frequency: 99)
        use Rperf::Middleware
        at_exit do
          data = Rperf.stop
          Rperf.save("profile.pb.gz", data) if data
        end
        get "/hello" do
          "Hello, world!"
        end
      RUBY
      write_file(directory, "config.ru", "require_relative 'app'\nrun Sinatra::Application\n")
      check_sinatra(*puma("--environment", "production"), directory:)
    end
  end

  SINATRA_OBJECTS = <<~RUBY
    require "sinatra"
    require "rperf/middleware"
    Entry = Class.new
    KEPT = Thread::Queue.new
    Rperf.start(mode: :heap, interval: 1)
    use Rperf::Middleware
    at_exit { Rperf.save("profile.pb.gz", Rperf.stop) }
    get("/list/:name") { 500.times { Entry.new }.to_s }
    get("/keep/:name") { 20.times { KEPT << Entry.new }.to_s }
  RUBY

  # Objects of before Sinatra has found the route are those of the route, too.
  def test_objects_by_endpoint_of_sinatra
    in_directory do |directory|
      write_file(directory, "app.rb", SINATRA_OBJECTS)
      write_file(directory, "config.ru", "require_relative 'app'\nrun Sinatra::Application\n")
      serve(*puma("--environment", "production"), directory:) do |server|
        6.times { |number| %w[list keep].each { |route| server.get("/#{route}/name-#{number}") } }
      end
      assert_equal({"GET /list/:name" => 3000, "GET /keep/:name" => 120}, objects_by_endpoint("alloc_objects", "class=^Entry$", directory:))
      assert_equal 120, objects_by_endpoint("inuse_objects", "class=^Entry$", directory:)["GET /keep/:name"]
      assert_equal ["GET /keep/:name", "GET /list/:name"], objects_by_endpoint("alloc_objects", "endpoint=.", directory:).keys.sort
    end
  end

  def test_roda
    in_directory do |directory|
      write_file(directory, "config.ru", RODA)
      serve(*puma, directory:) do |server|
        %w[/posts/a-title /posts/another /posts/a%20title/comments/7 /users/ann].each { |path| server.get(path) }
        %w[/posts/unknown /posts/a-title/else /posts/another/else /users/ann/else].each { |path| server.get(path, status: 404) }
      end
      expected = {"GET /posts/:id" => 600_000_000, "GET /posts/:id/comments/:id" => 200_000_000, "GET /users/:id" => 200_000_000}
      profile = File.join(directory, "profile.json")
      assert_named(expected, profile)
      # A branch alone is no route; a route whose handler answers 404 is one.
      assert_without_route(3 * 0.045, profile)
    end
  end

  def test_the_roda_recipe
    in_directory do |directory|
      write_file(directory, "config.ru", WORKER + DocBlocks.fetch("Roda", "config.ru").sub(/^run/, "use Worker\n\\0"))
      serve(*puma, directory:) do |server|
        assert_equal "Post a-title\n", server.get("/posts/a-title")
        assert_equal "Comment 7\n", server.get("/posts/a-title/comments/7")
      end
      expected = {"GET /posts/:id" => 200_000_000, "GET /posts/:id/comments/:id" => 200_000_000}
      assert_named(expected, File.join(directory, "profile.pb.gz"))
    end
  end

  private

  # As assert_weights, and there are no other names of endpoints that worked.
  def assert_named(expected, profile)
    found = weights(:endpoint, profile)
    assert_weights(expected, found)
    assert_empty found.keys.grep(%r{ /(?:busy|posts|users)\b}) - expected.keys
  end

  def check_sinatra(*words, directory:)
    serve(*words, directory:) do |server|
      assert_equal "Hello, world!", server.get("/hello")
      assert_equal({endpoint: "GET /busy/seven"}.inspect, server.get("/busy/seven"), "the route is known at the end")
      10.times { |number| server.get("/no/such-#{number}", status: 404) }
    end
    profile = File.join(directory, "profile.pb.gz")
    assert_named({"GET /busy/:number" => 200_000_000}, profile)
    assert_without_route(10 * 0.005, profile)
  end

  # {endpoint => objects} of the samples with such a label, as `rperf report --by endpoint` has it.
  def objects_by_endpoint(value, tagfocus, directory:)
    report = rperf("report", "--by", "endpoint", "--format", "json", "--sample-index", value, "--tagfocus", tagfocus, "profile.pb.gz", directory:)
    JSON.parse(report.out).fetch("values").to_h { |row| row.values_at("name", "total") }
  end

  # Requests that slept for so many seconds had no route, and share a name.
  def assert_without_route(seconds, profile)
    found = weights(:endpoint, profile)
    assert_operator found.fetch("GET (no route)"), :>=, seconds * 1e9
    assert_empty found.keys.grep(%r{ /no/})
  end

  def check_answers(server)
    assert_equal({endpoint: "GET /slow/:id"}.inspect, server.get("/slow/17?q=1"))
    assert_equal({endpoint: "GET /quick"}.inspect, server.get("/quick"))
    assert_equal({endpoint: "GET /stream"}.inspect, server.get("/stream"))
    assert_equal APP, server.get("/file")
    server.get("/raise", status: 500)
  end

  def check_profile(directory)
    found = weights(:endpoint, File.join(directory, "profile.json"))
    assert_weights({"GET /slow/:id" => 200_000_000, "GET /stream" => 200_000_000}, found)
    stream = Rperf.load(File.join(directory, "profile.json"))[:ledger].find { |row| row[:name] == "GET /stream" }
    assert_equal 1, stream[:units]
    assert_operator stream[:wall_ns], :>=, 190_000_000
  end

  # Threads of Puma's own only wait for work: little of them is left, more on a busy machine, where
  # they wait for the GVL and for processors.
  def check_own_threads(directory)
    folded, all = [[], %w[--idle]].map do |options|
      report = rperf("report", "--by", "thread", "--format", "json", *options, "profile.json", directory:)
      rows = JSON.parse(report.out)["values"].to_h { |row| [row["name"][/\A[a-z ]+/].strip, row["total"]] }
      rows.slice("puma reactor", "puma srv", "puma srv tp reap")
    end
    assert_equal 3, all.length
    all.each { |name, total| assert_operator folded.fetch(name, 0), :<=, total * 0.15, name }
  end

  # The commands of the recipe, with `-raw` and `-top` for the browser.
  def check_pprof(directory)
    focused = run_program("go", "tool", "pprof", "-top", "-tagfocus=endpoint=GET /api/users", "profile.pb.gz", directory:)
    assert_includes focused.out, "Kernel.work", focused.inspect
    grouped = run_program("go", "tool", "pprof", "-top", "-cum", "-nodecount=1000", "-tagroot=endpoint", "profile.pb.gz", directory:)
    assert_includes grouped.out, "GET /api/users", grouped.inspect
  end
end
