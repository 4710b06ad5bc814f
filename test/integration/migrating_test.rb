# frozen_string_literal: true

require_relative "../support/documents"
require_relative "support/programs"

# What users of the C rperf 0.9 have in their applications goes on working, as docs/migrating.md
# shows it.
class MigratingTest < Minitest::Test
  include IntegrationPrograms

  # The application behind the recipe: a request that waits, and work that belongs to no request.
  APP = <<~RUBY
    #{IntegrationPrograms::WORK.gsub("def work", "def Kernel.work")}
    Thread.new { loop { Kernel.work(0.01) } }
    MyApp = lambda do |env|
      Kernel.work(0.1)
      [200, {"content-type" => "text/plain"}, [Rperf.labels.inspect]]
    end
  RUBY

  def test_viewer_and_labels_as_middleware
    in_directory do |directory|
      write_file(directory, "app.rb", APP)
      write_file(directory, "config.ru", "require_relative 'app'\n#{Documents.file("docs/migrating.md", "config.ru")}")
      serve(*puma("config.ru"), directory:, env: {"RACK_ENV" => "development"}) do |server|
        assert_equal({endpoint: "GET /users/:id"}.inspect, server.get("/users/7"))
        server.get("/take")
        assert_includes server.get("/rperf/"), "<a href=\"/rperf/snapshots/1\">"
        File.binwrite(File.join(directory, "taken.pb.gz"), server.get("/rperf/snapshots/1.pb.gz"))
      end
      check_profile(Rperf.load(File.join(directory, "taken.pb.gz")))
    end
  end

  # A preforking server: the session of its master has the work of its workers, and ends with it.
  PUMA = <<~RUBY
    require "rperf"
    workers 2
    threads 1, 1
    preload_app!
    Rperf.start(mode: :wall, inherit: :fork, output: "all.json")
    at_exit { Rperf.stop }
  RUBY

  RACKUP = <<~RUBY
    require_relative "app"
    require "rperf/rack"
    use Rperf::RackMiddleware
    run ->(env) { [200, {}, [Process.pid.to_s.tap { MyApp.call(env) }]] }
  RUBY

  def test_workers_of_a_preforking_server
    in_directory do |directory|
      {"app.rb" => APP, "config.ru" => RACKUP, "puma.rb" => PUMA}.each { |name, text| write_file(directory, name, text) }
      pids = []
      serve(*puma("--config", "puma.rb", "config.ru"), directory:) do |server|
        await("answers of both workers") { (pids |= Array.new(4) { Thread.new { server.get("/users/7") } }.map(&:value)).length == 2 }
      end
      data = Rperf.load(File.join(directory, "all.json"))
      requests = data[:samples].select { |sample| data[:label_sets][sample[3]][:endpoint] == "GET /users/:id" }
      assert_equal pids.sort, requests.map { |sample| process_of(data, sample)[:pid].to_s }.uniq.sort
    end
  end

  # The session is deferred: only requests are in it, and each has its label.
  def check_profile(data)
    sets = data[:label_sets].map { |set| set[:endpoint] }
    weights = data[:samples].group_by { |sample| sets[sample[3]] }.transform_values { |samples| samples.sum { |sample| sample[1] } }
    assert_operator weights.fetch("GET /users/:id"), :>=, 100_000_000
    assert_empty weights.keys - ["GET /users/:id", "GET /take"], weights.inspect
  end
end
