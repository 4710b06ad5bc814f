# frozen_string_literal: true

require_relative "support/doc_blocks"
require_relative "support/rails_app"

# `gem "rperf"` in a Rails application: nothing, unless config.rperf or the environment says so.
class RailtieTest < Minitest::Test
  include RailsApps

  INITIALIZER = "config/initializers/rperf.rb"
  # What there is to see of rperf in an application.
  TRACES = <<~'RUBY'
    puts "session: #{Rperf.running?}"
    puts "middleware: #{Rails.application.middleware.map(&:name).grep(/Rperf/)}"
    puts "jobs: #{ActiveJob::Base.ancestors.map(&:name).grep(/Rperf::ActiveJob/)}"
    puts "threads: #{Thread.list.size}"
    puts "at: #{get("/api/users")}"
    ApplicationJob.descendants.each(&:perform_now)
    puts "job: #{File.read("jobs.log")}"
  RUBY
  NOTHING = "session: false\nmiddleware: []\njobs: []\nthreads: 1\nat: {}\njob: {}\n"

  def test_without_settings_there_is_nothing
    in_rails_app { |directory| assert_nothing(directory) }
  end

  def test_settings_without_enabled_do_nothing
    in_rails_app(INITIALIZER => settings(mode: :wall, frequency: 0, nonsense: 1)) { |directory| assert_nothing(directory) }
  end

  def test_not_enabled_by_the_recipe
    in_rails_app(INITIALIZER => DocBlocks.fetch("By settings", INITIALIZER)) { |directory| assert_nothing(directory) }
  end

  def test_enabled_by_the_recipe
    in_rails_app(INITIALIZER => DocBlocks.fetch("By settings", INITIALIZER)) do |directory|
      result = run_in_app(directory, TRACES, env: {"PROFILE" => "1"})
      assert_equal [<<~TEXT, ""], [result.out, result.err]
        session: true
        middleware: ["Rperf::Middleware"]
        jobs: ["Rperf::ActiveJobMiddleware"]
        threads: 1
        at: #{{endpoint: "GET /api/users UsersController#index"}}
        job: #{{job: "RenderJob"}}
      TEXT
      data = Rperf.load(File.join(directory, "tmp/profile.pb.gz"))
      assert_equal [:wall, 99], data.values_at(:mode, :frequency)
    end
  end

  # Sessions of these parts, and those that others begin by them, would have no requests and jobs
  # otherwise.
  def test_parts_of_the_environment_have_labels
    labelled = "middleware: [\"Rperf::Middleware\"]\njobs: [\"Rperf::ActiveJobMiddleware\"]\n"
    in_rails_app do |directory|
      [{"RPERF_RECORDER" => "slow=9"}, {"RPERF_CONTROL" => "1"}, {"RPERF_LISTEN" => "127.0.0.1:0"}].each do |variable|
        assert_includes run_in_app(directory, TRACES, env: {"XDG_RUNTIME_DIR" => directory, **variable}).out, labelled, variable.inspect
      end
    end
    off = {"RPERF_RECORDER" => "0", "RPERF_CONTROL" => "no", "RPERF_LISTEN" => ""}
    in_rails_app { |directory| assert_nothing(directory, env: off) }
  end

  def test_enabled_as_the_readme_shows
    settings = Documents.file("README.md", "config/environments/production.rb")
    in_rails_app("config/environments/production.rb" => settings) do |directory|
      assert_includes run_in_app(directory, TRACES, env: {"PROFILE" => "1"}).out, "session: true\n"
      assert_path_exists File.join(directory, "tmp/profile.pb.gz")
    end
  end

  def test_rperf_that_is_loaded_before_rails_finds_it_later
    in_rails_app(INITIALIZER => "Rails.application.config.rperf.recorder = true\n") do |directory|
      result = run_in_app(directory, "puts Rails.application.middleware.map(&:name).grep(/Rperf/)", env: {"RUBYOPT" => "-rrperf"})
      assert_equal ["Rperf::Middleware\n", ""], [result.out, result.err]
    end
  end

  # A double of OpenTelemetry, whose middleware would make a span of each request.
  SPANS = <<~RUBY
    require #{File.join(ROOT, "test/support/spans").inspect}
    OpenTelemetry.tracer_provider = OpenTelemetry::Provider.new
    Rails.application.config.middleware.use(Class.new do
      def initialize(app) = @app = app
      def call(env) = OpenTelemetry.tracer_provider.in_span(trace_id: "t" * 16) { @app.call(env) }
    end)
  RUBY

  def test_traces
    in_rails_app("config/initializers/a.rb" => SPANS, INITIALIZER => settings(enabled: true, mode: :wall, traces: true)) do |directory|
      run_in_app(directory, "2.times { get('/api/users') }")
      data = Rperf.load(File.join(directory, "tmp/rperf.pb.gz"))
      linked = data[:label_sets].select { |set| set[:trace_id] }
      assert_equal [["GET /api/users UsersController#index", "74" * 16]], linked.map { |set| set.values_at(:endpoint, :trace_id) }.uniq
      assert_equal 2, linked.map { |set| set[:span_id] }.uniq.length
    end
  end

  # The program may have a session of its own.
  def test_traces_alone
    in_rails_app("config/initializers/a.rb" => SPANS, INITIALIZER => settings(traces: true)) do |directory|
      result = run_in_app(directory, <<~RUBY)
        Rperf.start(mode: :wall)
        get("/api/users")
        p Rperf.stop[:label_sets].filter_map { |set| set.values_at(:endpoint, :trace_id) if set[:trace_id] }.uniq
      RUBY
      assert_equal [%([["GET /api/users UsersController#index", "#{"74" * 16}"]]\n), ""], [result.out, result.err]
    end
  end

  def test_traces_without_opentelemetry
    in_rails_app(INITIALIZER => settings(traces: true)) do |directory|
      assert_match(/\Arperf: config.rperf.traces does nothing: there is no OpenTelemetry that makes spans: [^\n]*\n\z/, run_in_app(directory, "").err)
    end
  end

  # Requests are labelled, and no session begins.
  def test_control
    in_rails_app(INITIALIZER => settings(control: "on")) do |directory|
      program = <<~'RUBY'
        puts "session: #{Rperf.running?} #{Rperf::Control.addresses == ["#{ENV["XDG_RUNTIME_DIR"]}/rperf/#{Process.pid}.sock"]}"
        puts "at: #{get("/api/users")}"
        Rperf::Control::GuestSession.start(Rperf::Options.from_keywords({}), seconds: 60)
        puts "at: #{get("/api/users")}"
      RUBY
      result = run_in_app(directory, program, env: {"XDG_RUNTIME_DIR" => directory})
      assert_equal ["session: false true\nat: {}\nat: #{{endpoint: "GET /api/users UsersController#index"}}\n", ""], [result.out, result.err]
    end
  end

  # Control that the program itself has started stays, and a sentence says so.
  def test_control_replaces_that_of_the_environment
    [["", ""], ["Rperf::Control.start\n", "rperf: config.rperf is not used: control listens already: "]].each do |own, sentence|
      in_rails_app(INITIALIZER => own + settings(control: {signal: 43})) do |directory|
        result = run_in_app(directory, "puts Rperf::Control.addresses.drop(1)", env: {"XDG_RUNTIME_DIR" => directory, "RPERF_CONTROL" => "1"})
        assert_equal [own.empty? ? "signal 43\n" : "", sentence], [result.out, result.err[0, sentence.length]]
        assert_equal [sentence].reject(&:empty?).length, result.err.lines.length
      end
    end
  end

  def test_a_wrong_control
    in_rails_app(INITIALIZER => settings(control: "maybe")) do |directory|
      assert_includes run_in_app(directory, "puts Rperf.running?").err, 'config.rperf.control must be true or false (1 or 0), not "maybe"'
    end
  end

  def test_two_modes
    in_rails_app(INITIALIZER => settings(enabled: true, mode: "wall, alloc", interval: 1, output: "tmp/p.json")) do |directory|
      run_in_app(directory, TRACES)
      %w[wall alloc].each do |mode|
        sets = Rperf.load(File.join(directory, "tmp/p.#{mode}.json"))[:label_sets]
        assert_includes sets.map { |set| set[:endpoint] }, "GET /api/users UsersController#index", mode
      end
    end
  end

  def test_workers_of_a_preforking_server_have_profiles_of_their_own
    server = with_two_workers(preload: true) { |directory| assert_path_exists File.join(directory, "tmp/p.json") }
    refute_includes server.out, "WARNING", "of threads that are there before the fork"
  end

  # The server itself has not loaded rperf then.
  def test_workers_that_load_the_application_themselves
    with_two_workers(preload: false) { |directory| refute_path_exists File.join(directory, "tmp/p.json") }
  end

  def test_parts_can_be_switched_off_and_set
    in_rails_app(INITIALIZER => settings(enabled: "yes", middleware: {label_key: :route}, active_job: false, output: "tmp/p.json")) do |directory|
      out = run_in_app(directory, TRACES).out
      assert_includes out, "jobs: []\n"
      assert_includes out, "at: #{{route: "GET /api/users UsersController#index"}}\n"
    end
    in_rails_app(INITIALIZER => settings(enabled: true, middleware: false)) do |directory|
      assert_includes run_in_app(directory, TRACES).out, "middleware: []\n"
      assert_path_exists File.join(directory, "tmp/rperf.pb.gz")
    end
  end

  def test_a_wrong_setting_is_one_sentence_and_the_application_runs
    in_rails_app(INITIALIZER => settings(enabled: true, mode: "wal")) do |directory|
      result = run_in_app(directory, TRACES)
      sentence = "config.rperf.mode must be cpu, wall, custom, alloc, heap or both, not 'wal'; did you mean 'wall'?"
      assert_equal [NOTHING, "rperf: config.rperf is not used: #{sentence}\n"], [result.out, result.err]
    end
  end

  def test_sentences_for_other_wrong_settings
    sentences = {
      {frequenzy: 3} => "there is no config.rperf.frequenzy; did you mean 'frequency'?",
      {frequency: "99 Hz"} => "config.rperf.frequency must be a whole number from 1 to 10000 (Hz), not \"99 Hz\"",
      {active_job: 7} => "config.rperf.active_job must be true or false (1 or 0), not 7",
      {output: 7} => "config.rperf.output must be the path of a file, not 7",
      {middleware: "some"} => "config.rperf.middleware must be true or false (1 or 0), not \"some\"",
      {middleware: {before: 0, after: 1}} => "config.rperf.middleware: before: and after: were both given; leave one out",
      {middleware: {before: "Rack::Runtime"}} =>
        "config.rperf.middleware: before: must be the class of a middleware, or a position, not \"Rack::Runtime\"",
      {middleware: {limit: 0}} => "config.rperf.middleware: limit: must be a whole number from 1 to 10000 (endpoints), not 0",
      {middleware: {labelkey: 0}} => "config.rperf.middleware: unknown keyword: :labelkey"
    }
    in_rails_app do |directory|
      result = run_in_app(directory, <<~RUBY)
        initializer = Rperf::Railtie.instance.initializers.find { |candidate| candidate.name == "rperf" }
        #{sentences.keys.inspect}.each do |wrong|
          Rails.application.config.rperf.replace({enabled: true}.merge(wrong))
          initializer.run(Rails.application)
        end
      RUBY
      assert_equal sentences.values.map { |sentence| "rperf: config.rperf is not used: #{sentence}" }, result.err.lines(chomp: true)
    end
  end

  def test_an_output_that_cannot_be_written_is_said_at_the_start
    in_rails_app(INITIALIZER => settings(enabled: true, output: "nowhere/p.pb.gz")) do |directory|
      result = run_in_app(directory, TRACES)
      assert_includes result.out, "session: false\n"
      assert_match(/\Arperf: config.rperf is not used: cannot write '.*': the directory '.*' does not exist; [^\n]+\n\z/, result.err)
    end
  end

  # The command line loads rperf before Rails is there, and its session is the one.
  def test_rperf_record_labels_requests
    in_rails_app(INITIALIZER => settings(enabled: true, output: "tmp/own.json")) do |directory|
      write_file(directory, "requests.rb", "require './config/environment'\nrequire 'rack/mock_request'\n" \
        "6.times { Rack::MockRequest.new(Rails.application).get('/api/users') }\nRenderJob.perform_now\n")
      result = rperf("record", "-m", "wall", "-o", "p.json", "ruby", "requests.rb", directory:, env: rails_environment)
      assert_equal [0, 1], [result.code, result.err.lines.length], result.inspect
      assert_equal [], Dir[File.join(directory, "tmp/own*")]
      profile = File.join(directory, "p.json")
      assert_weights({"GET /api/users UsersController#index" => 300_000_000}, weights(:endpoint, profile))
      assert_weights({"RenderJob" => 50_000_000}, weights(:job, profile))
    end
  end

  # `enabled = ENV["PROFILE"] == "1"` says whether a session begins by itself.
  def test_where_no_session_is_to_begin_that_of_the_command_line_has_labels
    in_rails_app(INITIALIZER => settings(enabled: false, output: "tmp/own.json")) do |directory|
      assert_equal %w[Rperf::Middleware], middlewares_under_record(directory).grep(/Rperf/)
      assert_equal [], Dir[File.join(directory, "tmp/own*")]
    end
    in_rails_app(INITIALIZER => settings(enabled: false, middleware: false)) do |directory|
      assert_equal [], middlewares_under_record(directory).grep(/Rperf/)
    end
  end

  def test_the_middleware_is_the_first_of_all_unless_it_has_another_place
    in_rails_app { |directory| assert_equal "Rperf::Middleware", middlewares_under_record(directory).first }
    %i[before after].each do |way|
      in_rails_app(INITIALIZER => "Rails.application.config.rperf.middleware = {#{way}: Rack::Runtime}") do |directory|
        names = middlewares_under_record(directory)
        assert_equal({before: -1, after: 1}.fetch(way), names.index("Rperf::Middleware") - names.index("Rack::Runtime"))
      end
    end
  end

  # A place says from where on requests are to be labelled.
  def test_the_server_labels_requests_unless_the_middleware_has_another_place
    {true => true, {after: 0} => false, {after: 0, server: true} => true}.each do |middleware, covered|
      in_rails_app(INITIALIZER => "require 'puma'\n#{settings(enabled: true, middleware:)}") do |directory|
        out = run_in_app(directory, "puts Rperf::Middleware::PumaRequests.middleware.class, get('/api/users')").out
        assert_equal "#{covered ? "Rperf::Middleware" : "NilClass"}\n#{{endpoint: "GET /api/users UsersController#index"}}\n", out
      end
    end
  end

  private

  # Yields the directory of the application when both have written their profiles. Returns what the
  # server has printed.
  def with_two_workers(preload:)
    files = {INITIALIZER => settings(enabled: true, control: true, mode: "wall", frequency: "500", output: "tmp/p.json"),
             "config/puma.rb" => "workers 2\nthreads 1, 1\npreload_app! #{preload}\non_booted { File.write('tmp/booted', '') }\n"}
    in_rails_app(files) do |directory|
      result = serve(*puma("--config", "config/puma.rb"), directory:, env: rails_environment) do |server|
        await("both workers") { File.exist?(File.join(directory, "tmp/booted")) }
        Array.new(12) { Thread.new { server.get("/api/users") } }.each(&:join)
      end
      workers = Dir[File.join(directory, "tmp/p.*.json")]
      assert_equal 2, workers.length
      assert_weights({"GET /api/users UsersController#index" => 600_000_000}, weights(:endpoint, *workers))
      yield directory
      result
    end
  end

  # The names, in their order.
  def middlewares_under_record(directory)
    write_file(directory, "names.rb", "require './config/environment'\nputs Rails.application.middleware.map(&:name)\n")
    result = rperf("record", "-o", "p.json", "ruby", "names.rb", directory:, env: rails_environment)
    assert_equal 0, result.code, result.inspect
    result.out.lines(chomp: true)
  end

  def assert_nothing(directory, env: {})
    result = run_in_app(directory, TRACES, env:)
    assert_equal [NOTHING, ""], [result.out, result.err]
    assert_empty Dir[File.join(directory, "tmp/*")]
  end

  def settings(given) = given.map { |name, value| "Rails.application.config.rperf.#{name} = #{value.inspect}\n" }.join
end
