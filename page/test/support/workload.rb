# frozen_string_literal: true

# Work with known shares, to be profiled: threads with labels, loops, waiting, garbage.
module Workload
  def self.run(factor: 1)
    threads = %w[/users /orders].map do |endpoint|
      Thread.new { Rperf.label(endpoint:, tenant: "acme") { serve(endpoint, factor) } }
    end
    threads.each(&:join)
    report
  end

  def self.serve(endpoint, factor)
    6.times do
      parse(endpoint == "/users" ? 0.02 * factor : 0.01)
      ask_database
    end
  end

  def self.parse(seconds)
    text = "1,2,3," * 50
    text.split(",").sum(&:to_i) until (seconds -= cpu_time { 20.times { text.split(",") } }) < 0
  end

  def self.ask_database = sleep(0.01)

  def self.report = Array.new(20_000) { |number| "row #{number}" }.sort.length

  def self.cpu_time
    before = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
    yield
    Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - before
  end
end
