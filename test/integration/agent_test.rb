# frozen_string_literal: true

require_relative "support/rails_app"
require_relative "../support/documents"
require_relative "../support/push_server"

# The agent in a Rails application.
class RailsAgentTest < Minitest::Test
  include RailsApps

  INITIALIZER = "config/initializers/rperf.rb"

  def settings(agent) = "Rails.application.config.rperf.agent = #{agent.inspect}\n"

  # Runs a server with these settings, which answers requests for at least so many seconds.
  def serve_for(seconds, agent, files = {})
    in_rails_app({INITIALIZER => settings(agent)}.merge(files)) do |directory|
      words = puma("--config", "config/puma.rb")
      result = serve(*words, directory:, env: rails_environment) do |server|
        finish = now + seconds
        Array.new(3) { Thread.new { server.get("/api/users") } }.each(&:join) while now < finish
      end
      yield directory, result
    end
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def test_each_worker_of_a_cluster_has_its_own_profiles
    agent = {push: "file:profiles/%p-%t.json", period: 1, mode: :wall, max_overhead: 1.0}
    serve_for(8, agent, "config/puma.rb" => "workers 2\nthreads 3, 3\npreload_app!\n") do |directory|
      written = Dir[File.join(directory, "profiles", "*.json")].group_by { |path| File.basename(path)[/\d+/] }
      # The master's, too.
      assert_equal 3, written.length
      served = written.transform_values { |paths| weights(:endpoint, *paths)["GET /api/users UsersController#index"] }
      assert_equal 1, served.values.count(&:zero?)
      assert_operator served.values.sum, :>, 4_000_000_000
    end
  end

  # Each request says which process has answered.
  WHO = {"config/initializers/who.rb" => "class UsersController < ActionController::Base\n  def index\n    work\n    render plain: Process.pid.to_s\n  end\nend\n"}.freeze
  PERIOD = 1

  # Asks until the block knows, by the process that has answered, that it is enough.
  def ask(server)
    await("another process that answers") { yield server.get("/api/users") }
  end

  # Seconds of requests in the profiles of each process.
  def served(directory)
    written = Dir[File.join(directory, "profiles", "*.json")].group_by { |path| File.basename(path)[/\d+/] }
    written.transform_values { |paths| weights(:endpoint, *paths).sum { |name, weight| name ? weight : 0 } / 1e9 }
  end

  def test_workers_that_are_killed_or_replaced
    agent = {push: "file:profiles/%p-%t.json", period: PERIOD, mode: :wall, max_overhead: 1.0}
    killed = found = nil
    serve_in_cluster(agent, "workers 2\nthreads 1, 1\n") do |server, directory|
      answered(server, seconds: 0)
      first = answered(server, seconds: 4 * PERIOD)
      Process.kill(:KILL, Integer(killed = first.first))
      ask(server) { |pid| !first.include?(pid) }
      before = answered(server, seconds: 2 * PERIOD)
      server.program.signal(:USR1)
      ask(server) { |pid| !before.include?(pid) }
      answered(server, seconds: 3 * PERIOD)
      found = served(directory)
    end
    # Of the first two workers, the one in the place of the killed one, and one that replaced one of
    # these (the other may still begin). The master has not loaded the application.
    assert_operator found.length, :>=, 4
    assert_operator found.fetch(killed), :>, 0.1
  end

  def serve_in_cluster(agent, config)
    in_rails_app({INITIALIZER => settings(agent), "config/puma.rb" => config}.merge(WHO)) do |directory|
      serve(*puma("--config", "config/puma.rb"), directory:, env: rails_environment) { |server| yield server, directory }
    end
  end

  # The processes that have answered requests of these seconds.
  def answered(server, seconds:)
    finish = now + seconds
    pids = []
    pids.concat(Array.new(4) { Thread.new { server.get("/api/users") } }.map(&:value)) while now < finish || pids.uniq.length < 2
    pids.uniq
  end

  def test_consoles_and_tasks_have_none
    in_rails_app(INITIALIZER => settings(push: "file:profiles/%p-%t.json")) do |directory|
      result = ruby_with_rails("require './config/environment'; p Rperf::Agent.status", directory:)
      assert_equal "nil\n", result.out
    end
    in_rails_app(INITIALIZER => settings(push: "file:profiles/%p-%t.json", everywhere: true)) do |directory|
      result = ruby_with_rails("require './config/environment'; puts Rperf::Agent.status[:service]", directory:)
      assert_equal "#{File.basename(directory).downcase}\n", result.out
    end
  end

  # The settings of the document, with a URL and without.
  def test_the_document
    settings = Documents.file("docs/production.md", "config/environments/production.rb")
    [["file:profiles/%p-%t.json", true], ["", false]].each do |url, is_there|
      in_rails_app("config/environments/production.rb" => settings) do |directory|
        serve(*puma, directory:, env: rails_environment("RPERF_PUSH_URL" => url)) { |server| server.get("/api/users") }
        assert_equal is_there, File.read(File.join(directory, "rails.log")).include?("profiles of #{File.basename(directory).downcase} go to file:")
      end
    end
  end

  # Where the settings want an agent, they say where, whatever the environment adds.
  def test_settings_count_more_than_the_environment
    in_rails_app(INITIALIZER => settings(push: "file:profiles/%p-%t.json", period: 9)) do |directory|
      code = "require './config/environment'; p Rperf::Agent.status; Rperf::Agent.start; puts Rperf::Agent.status[:period]"
      result = ruby_with_rails(code, directory:, env: {"RPERF_PUSH_URL" => "file:%t.json", "RPERF_PUSH_PERIOD" => "7"})
      assert_equal "nil\n7.0\n", result.out
    end
  end

  def test_settings_replace_an_agent_of_the_environment
    {{period: 9, everywhere: true} => "9\n", {everywhere: true} => "7.0\n"}.each do |given, period|
      in_rails_app(INITIALIZER => settings(given)) do |directory|
        env = {"RUBYOPT" => "-rrperf/agent", "RPERF_PUSH_URL" => "file:%t.json", "RPERF_PUSH_PERIOD" => "7"}
        result = ruby_with_rails("require './config/environment'; puts Rperf::Agent.status[:period]", directory:, env:)
        assert_equal [period, 0], [result.out, result.err.scan("config.rperf").length], result.inspect
      end
    end
  end

  def test_by_the_environment_alone
    in_rails_app do |directory|
      code = "require './config/environment'; puts Rperf::Agent.status[:period]"
      result = ruby_with_rails(code, directory:, env: {"RPERF_PUSH_URL" => "file:%t.json", "RPERF_PUSH_PERIOD" => "7"})
      assert_equal "7.0\n", result.out
    end
  end

  # As they are in the environment. Empty ones stand for the default.
  def test_settings_may_be_texts
    given = {push: "file:%t.json", frequency: "50", slow: "", duty: "", token: "", service: "shop"}
    {"true" => "50", "0" => "nil"}.each do |everywhere, frequency|
      in_rails_app(INITIALIZER => settings(given.merge(everywhere:))) do |directory|
        result = ruby_with_rails("require './config/environment'; p Rperf::Agent.status&.fetch(:frequency)", directory:)
        assert_equal ["#{frequency}\n", ""], [result.out, result.err]
      end
    end
  end

  def test_settings_without_a_url_take_that_of_the_environment
    in_rails_app(INITIALIZER => settings(service: "mailer", everywhere: true)) do |directory|
      code = "require './config/environment'; puts Rperf::Agent.status[:service], Rperf::Agent.status[:period]"
      result = ruby_with_rails(code, directory:, env: {"RPERF_PUSH_URL" => "file:%t.json", "RPERF_PUSH_PERIOD" => "7"})
      assert_equal "mailer\n7.0\n", result.out
    end
  end

  def test_without_a_url_nothing_happens
    [{push: nil}, {push: ""}, {}].each do |agent|
      in_rails_app(INITIALIZER => settings(agent)) do |directory|
        result = ruby_with_rails("require './config/environment'; p defined?(Rperf::Agent), Rails.application.middleware.first", directory:)
        refute_match(/Agent|Rperf/, result.out)
      end
    end
  end

  def test_wrong_settings
    {{push: "https://x"} => /config.rperf.agent: push: must be/, {push: "file:%t.json", perod: 1, everywhere: true} => /no setting :perod/,
     "https://me:swordfish@x" => /config.rperf.agent must be a Hash, such as {push: ENV\["RPERF_PUSH_URL"\]}, not a value of String/}.each do |agent, sentence|
      agent = agent.merge(everywhere: true) if agent.is_a?(Hash)
      in_rails_app(INITIALIZER => settings(agent)) do |directory|
        result = ruby_with_rails("require './config/environment'; puts :runs", directory:)
        assert_equal "runs\n", result.out
        assert_match(/\Arperf: config.rperf is not used: [^\n]*#{sentence.source}[^\n]*\n\z/, result.err)
      end
    end
  end
end
