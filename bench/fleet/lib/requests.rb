# frozen_string_literal: true

require "net/http"
require "rbconfig"
require "rperf/control/client"
require "tmpdir"
require_relative "../../overhead/lib/statistics"
require_relative "../../overhead/lib/table"
require_relative "../../../test/support/push_server"

module Fleet
  # Effect of an agent or a recorder on the times of requests and on the CPU time of a server at
  # half load. Servers with it, and servers with a bare timer of its frequency, run in turns.
  class Requests
    SERVER = File.expand_path("../server.rb", __dir__)
    # Requests a second: each takes 10 ms of the GVL.
    RATE = 50
    # Maximum delay of the 99th percentile, in milliseconds.
    BAR = 2.0
    # Maximum share of a processor that rperf's threads take beyond a timer of their frequency.
    CPU_BAR = 0.005
    FREQUENCY = 99
    # Seconds of a period. Each round has the ends of several periods.
    PERIOD = 5
    CLIENTS = 20
    # Maximum time until a recording is written, in seconds.
    RECORDING = 0.5

    # with: "an agent" or "a recorder"
    def initialize(rounds, seconds, with:)
      @with = with
      @recordings = []
      @receiver = PushServer.new
      @rounds = Array.new(rounds) { |round| (round.even? ? [false, true] : [true, false]).to_h { |agent| [agent, measure(agent, seconds)] } }
    ensure
      @receiver&.close
    end

    def text
      figures = {"median" => 0.5, "p95" => 0.95, "p99" => 0.99}
      rows = figures.map { |name, fraction| [name, *[false, true].map { |agent| ms(quantile(agent, fraction)) }, ms(later(fraction)), name == "p99" ? "#{BAR} ms" : ""] }
      cpu = [false, true].map { |agent| @rounds.sum { |round| round[agent][:cpu] } / @rounds.length }
      rows << ["CPU seconds", *cpu.map { |value| format("%.2f", value) }, format("%+.1f %%", (cpu[1] / cpu[0] - 1) * 100), ""]
      rows << ["threads of rperf, or of a bare timer", *[false, true].map { |with| percent(of_threads(with)) }, percent(above_timer), percent(CPU_BAR)]
      rows << ["a recording is written after", "", ms(@recordings.max), "", "#{(RECORDING * 1000).round} ms"] if @recordings.any?
      Overhead::Table.markdown(["requests of 10 ms at #{RATE} a second", "without", "with #{@with}", "difference", "bar"], rows)
    end

    def passed? = later(0.99) <= BAR / 1000 && above_timer <= CPU_BAR && @recordings.all? { |seconds| seconds <= RECORDING }

    private

    # Share of a processor that the threads use.
    def of_threads(with) = @rounds.sum { |round| round[with][:of_threads] } / @rounds.length
    def above_timer = of_threads(true) - of_threads(false)
    def percent(share) = format("%.2f %%", share * 100)

    def ms(seconds) = format("%.1f ms", seconds * 1e3)

    # Quantile of all rounds together: a round has few requests beyond its 99th percentile.
    def quantile(agent, fraction) = Overhead::Statistics.quantile(@rounds.flat_map { |round| round[agent][:times] }, fraction)
    def later(fraction) = quantile(true, fraction) - quantile(false, fraction)

    def measure(agent, seconds)
      env = {"NIO4R_PURE" => "true", **(agent ? settings : {"BARE_TIMER" => FREQUENCY.to_s})}
      IO.popen(env, [RbConfig.ruby, SERVER], "r+", err: File::NULL) do |server|
        port = Integer(server.gets)
        ask(port, 2) # The program warms up.
        before, begun = [cpu(server.pid), threads(server.pid)], now
        recording = agent && recorder? ? Thread.new { record(server.pid, seconds * 0.9) } : nil
        times = ask(port, seconds)
        recording&.join
        cpu, of_threads = [cpu(server.pid), threads(server.pid)].zip(before).map { |after, at_first| after - at_first }
        {times:, cpu:, of_threads: of_threads / (now - begun)}.tap { server.close_write }
      end
    end

    def recorder? = @with == "a recorder"

    def settings
      return {"RPERF_PUSH_URL" => "pprof+http://127.0.0.1:#{@receiver.port}", "RPERF_PUSH_PERIOD" => PERIOD.to_s} unless recorder?
      {"RPERF_RECORDER" => "directory=#{Dir.mktmpdir}", "RPERF_CONTROL" => "1"}
    end

    # Requests a recording in the middle of the load, after `after` seconds.
    def record(pid, after)
      sleep(after)
      begun = now
      Rperf::Control::Client.of(pid).request("POST", "/recordings")
      @recordings << now - begun
    end

    # Makes requests at random moments. Returns their times from the moment at which each was due.
    def ask(port, seconds)
      random = Random.new(1)
      due, start = [0.0], now + 0.1
      due << due.last - Math.log(1 - random.rand) / RATE while due.last < seconds
      queue = due.each_with_object(Thread::Queue.new) { |moment, all| all << start + moment }.close
      Array.new(CLIENTS) { Thread.new { client(port, queue) } }.flat_map(&:value)
    end

    def client(port, queue)
      times = []
      Net::HTTP.start("127.0.0.1", port) do |connection|
        while (moment = queue.pop)
          sleep([moment - now, 0].max)
          connection.get("/")
          times << now - moment
        end
      end
      times
    end

    # Processor time of a process, in seconds (proc(5)).
    def cpu(pid) = File.read("/proc/#{pid}/stat").split(") ").last.split.values_at(11, 12).sum(&:to_i) / 100.0

    # That of rperf's threads, or of the bare timer's: the first number of schedstat (nanoseconds).
    def threads(pid)
      tasks = Dir["/proc/#{pid}/task/*"].select { |task| File.read("#{task}/comm").start_with?("rperf", "bare timer") }
      tasks.sum { |task| File.read("#{task}/schedstat").to_i } / 1e9
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
