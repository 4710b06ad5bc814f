# frozen_string_literal: true

require_relative "support/doc_blocks"
require_relative "support/programs"

# Rperf::ActiveJobMiddleware in classes of the real Active Job.
class ActiveJobTest < Minitest::Test
  include IntegrationPrograms

  PRELUDE = <<~RUBY
    require "active_job"
    #{IntegrationPrograms::WORK}
    ActiveJob::Base.logger = Logger.new(File::NULL)
    #{DocBlocks.fetch("Active Job", "app/jobs/application_job.rb")}
    SEEN = Queue.new

    class RenderJob < ApplicationJob
      rescue_from(KeyError) { |error| SEEN << [:rescued, Rperf.labels] }
      before_perform { SEEN << [:before, Rperf.labels] }

      def perform(name, seconds: 0.2)
        raise KeyError if name == "wrong"
        raise IOError, name if name == "broken"
        work(seconds)
        SEEN << [name, Rperf.labels]
        :value
      end
    end

    class SendEmailJob < ApplicationJob
      def perform = work(0.1)
    end
  RUBY

  def test_inline
    run_jobs(<<~RUBY)
      ActiveJob::Base.queue_adapter = :inline
      Rperf.label(request: "7") do
        RenderJob.perform_later("page")
        SendEmailJob.perform_later
      end
      RenderJob.perform_now("wrong")
      begin
        RenderJob.perform_now("broken")
      rescue IOError => error
        puts error.message
      end
      p RenderJob.new("value", seconds: 0).perform_now, Rperf.labels
      p Array.new(SEEN.size) { SEEN.pop }
    RUBY
    job = {job: "RenderJob"}
    both = {job: "RenderJob", request: "7"}
    seen = [[:before, both], ["page", both], [:before, job], [:rescued, job], [:before, job], [:before, job], ["value", job]]
    assert_equal ["broken", ":value", "{}", seen.inspect], @result.out.lines(chomp: true)
    assert_weights({"RenderJob" => 200_000_000, "SendEmailJob" => 100_000_000}, @weights)
    assert_equal [["RenderJob", 4, 1], ["SendEmailJob", 1, 0]], @ledger.map { |row| row.values_at(:name, :units, :errors) }
  end

  def test_a_job_whose_class_has_no_name
    run_jobs("Class.new(ApplicationJob) { def perform = work(0.1) }.perform_now\n")
    assert_equal [["#<Class>", 1]], @ledger.map { |row| row.values_at(:name, :units) }
  end

  def test_a_deferred_session_has_the_jobs_alone
    in_directory do |directory|
      write_file(directory, "jobs.rb", <<~RUBY)
        #{PRELUDE}
        ActiveJob::Base.queue_adapter = :inline
        data = Rperf.start(mode: :wall, defer: true) { work(0.2); SendEmailJob.perform_later; work(0.2) }
        weights = data[:samples].group_by { |sample| data[:label_sets][sample[3]] }
        p weights.transform_values { |samples| samples.sum { |sample| sample[1] } / 100_000_000 }
      RUBY
      result = ruby("jobs.rb", directory:)
      assert_match(/\A\{\{job: "SendEmailJob"\} => [1-9]\d*\}\n\z/, result.out)
    end
  end

  def test_async
    run_jobs(<<~RUBY)
      ActiveJob::Base.queue_adapter = ActiveJob::QueueAdapters::AsyncAdapter.new(min_threads: 2, max_threads: 2)
      3.times { |number| RenderJob.perform_later(number.to_s) }
      SendEmailJob.perform_later
      seen = Array.new(6) { SEEN.pop(timeout: 60) }
      p seen.map(&:last).uniq, Rperf.labels
      ActiveJob::Base.queue_adapter.shutdown(wait: true)
    RUBY
    assert_equal [[{job: "RenderJob"}].inspect, "{}"], @result.out.lines(chomp: true)
    assert_weights({"RenderJob" => 600_000_000, "SendEmailJob" => 100_000_000}, @weights)
  end

  def test_the_base_class_of_all_jobs_may_include_it_too
    run_jobs(<<~RUBY)
      ActiveJob::Base.include(Rperf::ActiveJobMiddleware)
      p RenderJob.ancestors.count(Rperf::ActiveJobMiddleware)
      p RenderJob.perform_now("twice", seconds: 0), SEEN.size
    RUBY
    assert_equal ":value", @result.out.lines(chomp: true)[1]
  end

  private

  def run_jobs(code)
    in_directory do |directory|
      write_file(directory, "jobs.rb", "#{PRELUDE}Rperf.start(mode: :wall, output: 'profile.json')\n#{code}Rperf.stop\n")
      @result = ruby("jobs.rb", directory:)
      @weights = weights(:job, File.join(directory, "profile.json"))
      @ledger = Rperf.load(File.join(directory, "profile.json"))[:ledger]
    end
  end
end
