# frozen_string_literal: true

require "json"
require_relative "support/rails_app"
require_relative "../support/documents"

# The flight recorder in a Rails application.
class RailsRecorderTest < Minitest::Test
  include RailsApps

  INITIALIZER = "config/initializers/recorder.rb"

  def settings(recorder) = "Rails.application.config.rperf.recorder = #{recorder.inspect}\n"

  def recordings(directory) = Dir[File.join(directory, "tmp/recordings/*")]

  # Requests until each worker has had a slow one.
  def test_each_worker_of_a_cluster_records_its_slow_requests
    files = {INITIALIZER => settings(slow: 0.01, gc: false, mode: :wall, directory: "tmp/recordings"),
             "config/puma.rb" => "workers 2\nthreads 3, 3\npreload_app!\n"}
    in_rails_app(files) do |directory|
      serve(*puma("--config", "config/puma.rb"), directory:, env: rails_environment) do |server|
        await("the recordings") do
          Array.new(6) { Thread.new { server.get("/api/users") } }.each(&:join)
          recordings(directory).length == 2
        end
      end
      assert_equal 2, recordings(directory).map { |path| path[/Z-(\d+)-slow/, 1] }.uniq.length
      recordings(directory).each { |path| check_recording(path) }
    end
  end

  def check_recording(path)
    comments = rperf("report", "--comments", path, directory: File.dirname(path)).out
    assert_match(%r{^recording \(slow\) at \S+: request GET /api/users UsersController#index took (?:\d+\.\d ms|\d+\.\d\d s) \(slow: 0\.01\)$}, comments)
    assert_includes Rperf.load(path)[:label_sets], {endpoint: "GET /api/users UsersController#index", latency: "slow", recording: "slow", unit: "slow"}
  end

  # Rails answers it with a page, and no exception leaves the application.
  def test_an_exception_in_a_request
    in_rails_app(INITIALIZER => settings(exception: "RuntimeError", slow: false, gc: false, mode: :wall)) do |directory|
      serve(*puma, directory:, env: rails_environment) do |server|
        await("the recordings") do
          server.get("/broken", status: 500)
          recordings(directory).any?
        end
      end
      comments = recordings(directory).map { |path| rperf("report", "--comments", path, directory:).out }
      assert_match(%r{request GET /broken UsersController#broken ended by RuntimeError$}, comments.join)
    end
  end

  STATUS = "require './config/environment'; p defined?(Rperf::Recorder.status) && Rperf::Recorder.status&.fetch(:window)"

  def test_where_it_runs
    {{} => "nil", {everywhere: true, window: 30} => "30", nil => "nil", false => "nil"}.each do |recorder, shown|
      in_rails_app(INITIALIZER => settings(recorder)) do |directory|
        result = ruby_with_rails(STATUS, directory:)
        assert_equal ["#{shown}\n", ""], [result.out, result.err], recorder.inspect
      end
    end
  end

  def test_settings_replace_a_recorder_of_the_environment
    {{everywhere: true, window: 30} => "30\n", true => "20.0\n"}.each do |recorder, shown|
      in_rails_app(INITIALIZER => settings(recorder)) do |directory|
        result = ruby_with_rails(STATUS, directory:, env: {"RPERF_RECORDER" => "window=20"})
        assert_equal [shown, ""], [result.out, result.err], recorder.inspect
      end
    end
  end

  # The settings of the document, in a server.
  def test_the_document
    in_rails_app(INITIALIZER => Documents.file("docs/production.md", "config/initializers/recorder.rb")) do |directory|
      serve(*puma, directory:, env: rails_environment("RPERF_CONTROL" => "1", "XDG_RUNTIME_DIR" => directory)) do |server|
        server.get("/api/users")
        socket = Dir[File.join(directory, "rperf/*.sock")].first
        status = rperf("status", File.basename(socket, ".sock"), "--format", "json", directory:, env: {"XDG_RUNTIME_DIR" => directory})
        assert_equal({window: 60, session: true}, JSON.parse(status.out, symbolize_names: true)[:recorder].slice(:window, :session))
      end
    end
  end

  def test_wrong_settings
    {{slow: "x", everywhere: true} => /config\.rperf\.recorder: slow: must be a number/, {slwo: 1, everywhere: true} => /no setting :slwo/,
     5 => /config\.rperf\.recorder must be true or false/}.each do |recorder, sentence|
      in_rails_app(INITIALIZER => settings(recorder)) do |directory|
        result = ruby_with_rails("require './config/environment'; puts :runs", directory:)
        assert_equal "runs\n", result.out
        assert_match(/\Arperf: config.rperf is not used: [^\n]*#{sentence.source}[^\n]*\n\z/, result.err)
      end
    end
  end
end
