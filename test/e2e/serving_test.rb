# frozen_string_literal: true

require_relative "../support/program"

# Which processes of a Rails application serve requests or run jobs, by their names and tasks.
class ServingTest < Minitest::Test
  include ProgramSupport

  RAILS = <<~RUBY
    require "rperf/serving"
    module Rails
      def self.env = Struct.new(:test?).new(false)
    end
  RUBY

  # The values of the method under these names, with this code before.
  def serving(names, code = "")
    in_directory do |directory|
      result = run_program(RUBY, "-I", Paths::LIB, "-e", "#{RAILS}#{code}\nARGV.each { |name| $0 = name; puts Rperf::Serving.process? }", *names, directory:)
      assert_equal 0, result.code, result.inspect
      result.out.split
    end
  end

  def test_names_and_titles
    names = ["/usr/local/bin/puma", "bin/jobs", "rackup", "puma: cluster worker 0: 1 [shop]", "sidekiq 7.3.9 shop [0 of 5 busy]",
             "unicorn worker[0] -c config/unicorn.rb", "unicorn worker[0] -c caf\xE9.rb", "resque-2.6.0: Waiting for default"]
    assert_equal ["true"] * names.length, serving(names)
    others = ["bin/rails", "/usr/bin/rake", "irb", "app.rb", "/srv/puma/bin/import", "jobs/import.rb", "jobs-import.rb"]
    assert_equal ["false"] * others.length, serving(others)
  end

  def test_tasks
    tasks = {"solid_queue:start" => "true", "jobs:work" => "true", "db:migrate" => "false"}
    rake = ->(task) { "module Rake\n  def self.application = Struct.new(:top_level_tasks).new([#{task.inspect}])\nend" }
    assert_equal(tasks, tasks.to_h { |task, _is| [task, serving(["bin/rails"], rake.(task)).first] })
  end

  # Its workers are forked later.
  def test_the_service_of_a_server_that_has_replaced_its_name
    in_directory do |directory|
      write_file(directory, "shop.rb", "require 'rperf/agent/agent'; $0 = 'shop worker[0] -c config/unicorn.rb'; puts Rperf::Agent::Series.new(service: nil).service")
      assert_equal "shop\n", run_program(RUBY, "-I", Paths::LIB, "shop.rb", directory:).out
    end
  end

  # Bundler loads the command into its own process.
  def test_the_service_under_bundle_exec
    in_directory do |directory|
      write_file(directory, "bundle", "puts Rperf::Agent::Series.new(service: nil).service")
      words = [RUBY, "-I", Paths::LIB, "-rrperf/agent/agent", "bundle"]
      {%w[exec --keep-file-descriptors bin/puma -C x.rb] => "puma", %w[exec] => "bundle", %w[install --jobs 2] => "bundle"}.each do |given, service|
        assert_equal "#{service}\n", run_program(*words, *given, directory:).out
      end
    end
  end
end
