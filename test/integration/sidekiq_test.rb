# frozen_string_literal: true

require_relative "support/doc_blocks"
require_relative "support/rails_app"
require_relative "support/sidekiq"

# Rperf::SidekiqMiddleware in a real Sidekiq process, with a real Redis server.
class SidekiqTest < Minitest::Test
  include RailsApps
  include SidekiqProcesses

  # For the process and for its client.
  JOBS = <<~RUBY
    require "sidekiq"
    require "active_job"
    require "active_job/queue_adapters/sidekiq_adapter"
    #{IntegrationPrograms::WORK}
    redis = {url: ENV.fetch("REDIS_ADDRESS")}
    Sidekiq.configure_client { |config| config.redis = redis }
    Sidekiq.configure_server { |config| config.redis = redis }
    ActiveJob::Base.queue_adapter = :sidekiq
    ActiveJob::Base.logger = Logger.new(File::NULL)

    class HardWorker
      include Sidekiq::Job
      sidekiq_options retry: false

      def perform(number)
        work
        raise "job \#{number} fails on purpose" if number == 3
        File.write("done-\#{number}", Rperf.labels.inspect)
      end
    end

    class RenderJob < ActiveJob::Base
      def perform(number)
        work
        File.write("rendered-\#{number}", Rperf.labels.inspect)
      end
    end

    # Is interrupted, to go on later.
    class LongJob
      include Sidekiq::IterableJob
      Sidekiq.default_configuration[:max_iteration_runtime] = 0.04

      def build_enumerator(cursor:) = array_enumerator([0, 1], cursor:)

      def each_iteration(_) = work

      def on_complete = File.write("completed", Rperf.labels.inspect)
    end
  RUBY

  # What `sidekiq -r` loads: the recipes, with the profile written at the end.
  SERVER = <<~RUBY
    require_relative "jobs"
    require "rperf"
    Rperf.start(mode: :wall, output: "profile.json")
    at_exit { Rperf.stop }
    #{DocBlocks.fetch("Sidekiq", "config/initializers/sidekiq.rb")}
  RUBY

  def test_jobs_are_labelled_and_term_ends_the_process_with_a_profile
    in_directory do |directory|
      write_file(directory, "jobs.rb", JOBS)
      write_file(directory, "server.rb", SERVER)
      with_redis(directory) { |address| run_jobs(directory, address) }
      found = weights(:job, File.join(directory, "profile.json"))
      assert_weights({"HardWorker" => 250_000_000, "LongJob" => 100_000_000, "RenderJob" => 150_000_000}, found)
      assert_equal [nil, "HardWorker", "LongJob", "RenderJob"], found.keys.sort_by(&:to_s)
      data = Rperf.load(File.join(directory, "profile.json"))
      assert_match(/\Asidekiq \d/, data[:processes].first[:command])
      units = data[:ledger].to_h { |row| [row[:name], row.values_at(:units, :errors)] }
      long, errors = units.delete("LongJob")
      assert_operator long, :>=, 2, "its parts, of which each is a job"
      assert_equal [{"HardWorker" => [5, 1], "RenderJob" => [3, 0]}, 0], [units, errors]
      working = data[:samples].filter_map { |sample| sample[2] if data[:label_sets][sample[3]][:job] }
      names = data[:threads].filter_map { |thread| thread[:name] if working.include?(thread[:thread_seq]) }
      assert_equal ["sidekiq.default/processor"], names.uniq
      check_idle(directory)
    end
  end

  # Processors that wait for Redis, the heartbeat and the main thread do not drown the jobs.
  def check_idle(directory)
    report = start(RUBY, File.join(ROOT, "exe/rperf"), "report", "--by", "thread", "--idle", "profile.json", directory:).finish.out
    folded = start(RUBY, File.join(ROOT, "exe/rperf"), "report", "--by", "thread", "profile.json", directory:).finish.out
    assert_match(/^\d+ threads x [\d.]+m?s, [\d.]+m?s idle folded; --idle shows them$/, folded)
    ["sidekiq.heartbeat", "sidekiq.default/processor", "main"].each { |name| assert_match(/  #{name} \(thread \d+\) /, report) }
    assert_operator seconds_of("sidekiq.heartbeat", report), :>, 10 * seconds_of("sidekiq.heartbeat", folded)
  end

  # The total of the first thread of this name; 0 where no row has it.
  def seconds_of(name, report)
    text = report[/^ *([\d.]+m?s) .*  #{name} \(/, 1] or return 0
    text.to_f / (text.end_with?("ms") ? 1000 : 1)
  end

  INITIALIZER = "config/initializers/rperf.rb"
  # What an application's Gemfile would do.
  RAILS_FILES = {
    "config/application.rb" => RailsApps::FILES["config/application.rb"]
      .sub('require "rperf"', "require \"sidekiq\"\n\\0")
      .sub("  config.root", "  config.active_job.queue_adapter = :sidekiq\n\\0"),
    "config/initializers/sidekiq.rb" => <<~RUBY
      Sidekiq.configure_client { |config| config.redis = {url: ENV.fetch("REDIS_ADDRESS")} }
      Sidekiq.configure_server { |config| config.redis = {url: ENV.fetch("REDIS_ADDRESS")} }
    RUBY
  }.freeze

  def test_a_rails_application_labels_its_jobs_by_settings
    settings = <<~RUBY
      Rails.application.config.rperf.enabled = true
      Rails.application.config.rperf.mode = :wall
      Rails.application.config.rperf.active_job = false
    RUBY
    in_rails_app(RAILS_FILES.merge(INITIALIZER => settings)) do |directory|
      run_rails_job(directory)
      assert_equal ["{job: \"RenderJob\"}\n"], File.readlines(File.join(directory, "jobs.log"))
      assert_weights({"RenderJob" => 50_000_000}, weights(:job, File.join(directory, "tmp/rperf.pb.gz")))
    end
  end

  # The agent by Rails' settings: jobs, and their wall time alone beside all CPU time.
  def test_an_agent_sends_what_jobs_took
    settings = "Rails.application.config.rperf.agent = {push: 'file:profiles/%t-%p.json', period: 1, max_overhead: 1.0}\n"
    in_rails_app(RAILS_FILES.merge(INITIALIZER => settings)) do |directory|
      of_mode = ->(mode) { Dir[File.join(directory, "profiles", "*.#{mode}.json")] }
      run_rails_job(directory) { await("profiles") { of_mode.("wall").any? && of_mode.("cpu").any? } }
      found = weights(:job, *of_mode.("wall"))
      assert_equal ["RenderJob"], found.keys
      assert_weights({"RenderJob" => 50_000_000}, found)
    end
  end

  # A file each minute, but for the minute.
  def test_web_and_jobs_and_a_profile_now_and_then
    in_rails_app(RAILS_FILES.merge(INITIALIZER => <<~RUBY)) do |directory|
      require "rperf/middleware"
      require "rperf/sidekiq"
      Rperf.start(mode: :wall, frequency: 99)
      Rails.application.config.middleware.use Rperf::Middleware
      Sidekiq.configure_server do |config|
        config.server_middleware do |chain|
          chain.add Rperf::SidekiqMiddleware
        end
      end
      Thread.new do
        loop do
          sleep 0.2
          snap = Rperf.snapshot(clear: true)
          Rperf.save("tmp/profile-\#{Time.now.to_f}.pb.gz", snap) if snap
        end
      end
    RUBY
      run_rails_job(directory, "before = Dir['tmp/*']\nget('/api/users') until (Dir['tmp/*'] - before).size > 2") do
        await("a profile with the job") { weights(:job, *profiles(directory)).key?("RenderJob") }
      end
      assert_weights({"GET /api/users UsersController#index" => 50_000_000}, weights(:endpoint, *profiles(directory)))
    end
  end

  private

  # A job that a request enqueues, in a Sidekiq process of the same application.
  def run_rails_job(directory, more = "")
    with_redis(directory) do |address|
      env = rails_environment(sidekiq_environment(address))
      run_in_app(directory, "get('/enqueue')\n#{more}", env:)
      run_sidekiq("-r", ".", "-c", "1", directory:, env:) do
        await("the job") { File.size?(File.join(directory, "jobs.log")) }
        yield if block_given?
      end
    end
  end

  def profiles(directory) = Dir[File.join(directory, "tmp/profile-*.pb.gz")]

  def run_jobs(directory, address)
    env = sidekiq_environment(address)
    enqueue = 'require "./jobs"; 5.times { |n| HardWorker.perform_async(n) }; 3.times { |n| RenderJob.perform_later(n) }; LongJob.perform_async'
    ruby("-e", enqueue, directory:, env:)
    run_sidekiq("-r", "./server.rb", "-c", "2", directory:, env:) { check_labels(directory) }
  end

  def check_labels(directory)
    expected = [0, 1, 2, 4].to_h { |number| ["done-#{number}", {job: "HardWorker"}.inspect] }
      .merge((0..2).to_h { |number| ["rendered-#{number}", {job: "RenderJob"}.inspect] }, {"completed" => {job: "LongJob"}.inspect})
    await("all jobs but the broken one") { expected.keys.all? { |name| File.size?(File.join(directory, name)) } }
    expected.each { |name, labels| assert_equal labels, File.read(File.join(directory, name)) }
  end
end
