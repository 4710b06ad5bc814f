# frozen_string_literal: true

# Begins the session of a process that is profiled from its start to its end, where its settings are
# plain. What rperf leaves in the program's heap decides how often that is collected
# (docs/decisions/0024), so nothing is loaded here that is not needed to begin: what runs in this
# file is garbage before the program's first line, and the rest of rperf is loaded when the process
# ends or forks, or when the program asks for it.

# What an ordinary value looks like, by variable. Where another one is set, all of rperf is loaded
# at once, and judges it. (Each name that Ruby does not use itself stays, as a String. No block here
# becomes a Proc: that would keep this file.)
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
result = !defined?(Rperf::Recording)
pattern.each do |name, text|
  value = ENV[name] or next
  next if value.empty?
  result &&= text.match?(value)
  env[name] = value
end
# What each allows, and the two do not: see Options.check_together.
result = false if env["RPERF_BLAME"] == "1" && env["RPERF_MODE"] != "wall"
result = false if env["RPERF_TIMELINE"] == "1" && env["RPERF_OUTPUT"]&.end_with?(".pb.gz")
directory = env["RPERF_SESSION_DIR"]

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
    env["RPERF_OUTPUT"] = File.absolute_path(env["RPERF_OUTPUT"] || "rperf.data")
    env["RPERF_FIRST_PID"] = (ENV["RPERF_FIRST_PID"] ||= $$.to_s)
  end

  begin
    raise SystemCallError.new(nil, error) if error
    Rperf::Native.sources("#{__dir__}/profiled_process.rb")
    load("#{__dir__}/thread_names/unstarted.rb", true)
    load("#{__dir__}/layout_proof/stacks.rb", true)
    load("#{__dir__}/process_hooks/install.rb", true)
    # The first handler registered is the last to run: after the program's own. (One of a file that
    # is loaded within a module of its own would run before all others.)
    Rperf::Native.at_exit(Rperf::ProcessHooks)

    module Rperf
      class << self
        # The API: it is loaded when the program first asks for it. (The handler of a signal that
        # comes meanwhile does without.)
        def method_missing(name, ...)
          return super if defined?(ProfiledProcess)
          ProcessHooks.activated? ? public_send(name, ...) : (yield if block_given?)
        end

        # Whether the API has the method.
        def respond_to_missing?(name, all) = !defined?(ProfiledProcess) && ProcessHooks.activated? && respond_to?(name, all)
      end
    end

    stat = [Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond), GC.total_time]
    stat << GC.stat if env["RPERF_GC_STAT"] # The names of its 27 figures stay, too.
    # From here on ticks may meet this file, and keep it.
    Rperf::Native.start(
      mode: (env["RPERF_MODE"] || "cpu").to_sym, frequency: (env["RPERF_FREQUENCY"] || "1000").to_i, signal: nil,
      aggregate: env["RPERF_AGGREGATE"] != "0", timeline: env["RPERF_TIMELINE"] == "1", lines: env["RPERF_LINES"] != "0",
      native: env["RPERF_NATIVE"] == "1", blame: env["RPERF_BLAME"] == "1", defer: env["RPERF_DEFER"] == "1"
    )
    # What ProfiledProcess takes over; names and values in one String, for it stays.
    Rperf::BEGUN = [$$, env.to_a.join("\0"), stat].freeze
  rescue StandardError
    nil # All of rperf tries it again, and says why not.
  end
end
