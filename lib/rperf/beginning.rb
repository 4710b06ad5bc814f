# frozen_string_literal: true

# Begins the session of a process that is profiled from its start to its end, if its settings are
# plain. The objects that rperf leaves in the program's heap determine how often it is collected
# (docs/decisions/0024), so this file loads only the parts that are needed to begin. Its own objects
# are garbage before the program's first line. The rest of rperf is loaded when the process ends or
# forks, or when the program calls it.

# Patterns of plain values, by variable. If a variable has another value, all of rperf is loaded at
# once and checks it. (Each name that Ruby does not use itself stays in the heap, as a String. No
# block here becomes a Proc, which would keep this file.)
flag = /\A[01]\z/
never = /(?!)/
pattern = {
  "RPERF_ENABLED" => /\A1\z/, "RPERF_SESSION_DIR" => %r{\A/}, "RPERF_FIRST_PID" => //, "RPERF_INHERIT" => /\A1\z/,
  "RPERF_OUTPUT" => /.\.(?:data|pb\.gz|json|json\.gz)\z/, "RPERF_MODE" => /\A(?:cpu|wall)\z/, "RPERF_FREQUENCY" => /\A[1-9]\d{0,3}\z/,
  "RPERF_AGGREGATE" => flag, "RPERF_TIMELINE" => flag, "RPERF_LINES" => flag, "RPERF_NATIVE" => flag, "RPERF_DEFER" => flag, "RPERF_BLAME" => flag,
  "RPERF_SIGNAL" => never, "RPERF_INTERVAL" => never, "RPERF_WATCH" => never, "RPERF_MAX_LIVE" => never, "RPERF_MIN_AGE" => never, "RPERF_GC" => never,
  "RPERF_MALLOC" => never, "RPERF_MALLOC_INTERVAL" => never, "RPERF_NATIVE_MEMORY" => never, "RPERF_DATA_SIZES" => never, "RPERF_SLOW" => never,
  "RPERF_FORMAT" => never, "RPERF_VERBOSE" => never, "RPERF_STAT" => never, "RPERF_STAT_REPORT" => never, "RPERF_STAT_COMMAND" => never,
  "RPERF_LAYOUT_PROOF" => never, "RPERF_GC_STAT" => /\A1\z/
}
env = {}
names = "RPERF_EDITOR|RPERF_REPOSITORY|RPERF_PAGER|RPERF_WRITTEN|RPERF_EXTENSION" # They say nothing about the session.
result = !defined?(Rperf::Recording)
pattern.each do |name, text|
  names = "#{names}|#{name}"
  value = ENV[name] or next
  next if value.empty?
  result &&= text.match?(value.b)
  env[name] = value
end
directory = env["RPERF_SESSION_DIR"]
# Another variable may be a misspelt one, for which all of rperf looks: see Variables. (Below a
# process that is profiled, that was done.)
unless directory || env["RPERF_FIRST_PID"]
  result = false if /^(?!(?:#{names})$|RPERF_(?:CACHE|CHROMIUM|RUBY|TEST|ZIG))RPERF_/.match?(ENV.keys.join("\n").b)
end
# Values that are allowed one by one but not together: see Options.check_together.
result = false if env["RPERF_BLAME"] == "1" && env["RPERF_MODE"] != "wall"
result = false if env["RPERF_TIMELINE"] == "1" && env["RPERF_OUTPUT"]&.end_with?(".pb.gz")

valid = directory.nil? || File.directory?(directory)
if valid # By its path: the program may have taken rperf off the load path.
  path = "#{__dir__}/rperf.so"
  require ENV["RPERF_EXTENSION"] || (File.file?(path) ? path : "rperf/rperf.so")
end

if result && valid
  require_relative "process_hooks"

  if directory
    error = Rperf::Native.write_whole("#{directory}/#{$$}.tmp", "#{directory}/#{$$}.mark", "began")
  else
    # As AbsolutePath.of does, which would stay in the heap.
    env["RPERF_OUTPUT"] = File.absolute_path((env["RPERF_OUTPUT"] || "rperf.data").dup.force_encoding("filesystem"))
    env["RPERF_FIRST_PID"] = (ENV["RPERF_FIRST_PID"] ||= $$.to_s)
  end

  begin
    raise SystemCallError.new(nil, error) if error
    Rperf::Native.sources("#{__dir__}/profiled_process.rb")
    load("#{__dir__}/thread_names/unstarted.rb", true)
    load("#{__dir__}/layout_proof/stacks.rb", true)
    load("#{__dir__}/process_hooks/install.rb", true)
    # The handler that is registered first runs last, after the program's own. (A handler of a file
    # that is loaded within a module of its own would run before all others.)
    Rperf::Native.at_exit(Rperf::ProcessHooks)

    module Rperf
      class << self
        # Loads the API when the program first calls it. (A signal handler that runs while the API
        # is being loaded only calls its block.)
        def method_missing(name, ...)
          return super if defined?(ProfiledProcess)
          ProcessHooks.activated? ? public_send(name, ...) : (yield if block_given?)
        end

        # Returns whether the API has the method.
        def respond_to_missing?(name, all) = !defined?(ProfiledProcess) && ProcessHooks.activated? && respond_to?(name, all)
      end
    end

    stat = [Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond), GC.total_time]
    stat << GC.stat if env["RPERF_GC_STAT"] # The names of its 27 figures stay, too.
    # From here on ticks may meet this file, which keeps it in memory.
    Rperf::Native.start(
      mode: (env["RPERF_MODE"] || "cpu").to_sym, frequency: (env["RPERF_FREQUENCY"] || "1000").to_i, signal: nil,
      aggregate: env["RPERF_AGGREGATE"] != "0", timeline: env["RPERF_TIMELINE"] == "1", lines: env["RPERF_LINES"] != "0",
      native: env["RPERF_NATIVE"] == "1", blame: env["RPERF_BLAME"] == "1", defer: env["RPERF_DEFER"] == "1"
    )
    # Data for ProfiledProcess.take_over; names and values are one String, since it stays. (A
    # path may be no text.)
    Rperf::BEGUN = [$$, env.to_a.join("\0").b, stat].freeze
  rescue StandardError
    nil # All of rperf tries it again, and says why not.
  end
end
