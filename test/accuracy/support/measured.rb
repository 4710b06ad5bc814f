# frozen_string_literal: true

require "json"
require_relative "../../support/test_helper"
require_relative "../../support/paths"
require_relative "../../support/subprocess"
require_relative "../../support/spent_time"

# Programs with the real timer, each in a process of its own, that say what they measured as JSON.
module Measured
  # For the programs: CPU time to burn, and what a profile says.
  PRELUDE = "require #{SpentTime::BURNING.dump}\n" + <<~'RUBY'
    require "json"

    def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
    def wall = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

    def weight(samples) = samples.sum { |sample| sample[1] }

    # The samples that have a frame with one of these labels.
    def having(samples, *labels) = samples.select { |frames,| frames.any? { |frame| labels.include?(frame.label) } }

    # Weight of the samples with this leaf, and perhaps this frame above the program's outermost.
    def leaf(data, label, below = nil)
      samples = data[:samples].select { |frames,| frames.first.label == label }
      weight(below ? having(samples, below) : samples)
    end

    def total(data) = weight(data[:samples])
    def share(data, *leaf) = leaf(data, *leaf).fdiv(total(data))
  RUBY

  # The program of a talk on what profilers hide: an addition and a match.
  MATCHES = <<~'RUBY'
    def work
      a = 0
      str = ("abc123" * 1000)
      3_000.times {
        a += 1
        str =~ /([a-z]+)(\d)\s/
      }
    end
  RUBY

  INTERPRETER = [].freeze
  YJIT = %w[--yjit --yjit-call-threshold=2].freeze

  # Runs a program. Returns what it printed, read as JSON.
  def measure(code, *flags, env: {})
    removed = ENV.keys.grep(/\A(RPERF_|RUBYOPT|RUBYLIB)/).to_h { |name| [name, nil] }
    in_directory do |directory|
      path = File.join(directory, "program.rb")
      File.write(path, PRELUDE + code)
      result = Subprocess.run(Paths::RUBY, *flags, "-W0", "-I", Paths::LIB, "-r", "rperf", path, env: removed.merge(env))
      assert_predicate result, :success?, result.report
      JSON.parse(result.stdout, symbolize_names: true)
    end
  end
end
