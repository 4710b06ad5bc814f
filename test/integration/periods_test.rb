# frozen_string_literal: true

require_relative "support/programs"

# A server that writes profiles of each period, of time and of objects, while it answers.
class ServerPeriodsTest < Minitest::Test
  include IntegrationPrograms

  # A request for /period ends a period.
  RACKUP = <<~RUBY
    require "rperf/middleware"
    #{IntegrationPrograms::WORK}
    Entry = Class.new(String)
    KEPT = []
    periods = 0
    app = lambda do |env|
      case path = env["PATH_INFO"]
      when "/period"
        periods += 1
        GC.start
        wall, heap = Rperf.snapshot(clear: true)
        Rperf.save("wall.\#{periods}.pb.gz", wall)
        Rperf.save("heap.\#{periods}.pb.gz", heap)
      else
        work(0.02)
        100.times { |number| Entry.new(path) }
        KEPT << Entry.new(path)
      end
      [200, {}, ["ok"]]
    end
    Rperf.start(mode: [:wall, :heap], interval: 1, output: "last.pb.gz")
    at_exit { Rperf.stop }
    run Rperf::Middleware.new(app)
  RUBY

  def test_each_period_has_its_requests_and_what_they_left
    in_directory do |directory|
      write_file(directory, "config.ru", RACKUP)
      serve(*puma("--threads", "2:2"), directory:) do |server|
        %w[/first /second /third].each do |path|
          Array.new(10) { Thread.new { server.get(path) } }.each(&:value)
          server.get("/period")
        end
      end
      paths = %w[first second third].map { |name| "GET /#{name}" }
      paths.each_with_index { |path, index| check_period(directory, paths, path, index + 1) }
      paths.each { |path| assert_kept(0, File.join(directory, "last.heap.pb.gz"), path) }
      assert_path_exists File.join(directory, "last.wall.pb.gz")
    end
  end

  private

  # Time and allocations are those of the requests of the period; of what earlier ones kept all is
  # in use.
  def check_period(directory, paths, path, number)
    wall, heap = %w[wall heap].map { |mode| File.join(directory, "#{mode}.#{number}.pb.gz") }
    assert_weights({path => 10 * 20_000_000}, weights(:endpoint, wall))
    assert_empty weights(:endpoint, wall).select { |other, weight| paths.include?(other) && other != path && weight > 10_000_000 }
    before, after = paths.partition { |other| paths.index(other) < number - 1 }
    before.each { |other| assert_kept(0, heap, other) }
    assert_kept(1010, heap, path)
    assert_equal [[0, 0]] * (after.length - 1), after.drop(1).map { |other| entries(heap, other) }
  end

  # So many were allocated, and ten are in use. (Words that are left on the stacks of threads may
  # hold one or two more.)
  def assert_kept(allocated, file, path)
    found = entries(file, path)
    assert_equal allocated, found.first
    assert_in_delta 10, found.last, 2
  end

  # How many entries requests have allocated, and how many of them are in use.
  def entries(file, endpoint)
    data = Rperf.load(file)
    rows = data[:samples].select { |sample| data[:label_sets].fetch(sample[3]).values_at(:endpoint, :class) == [endpoint, "Entry"] }
    rows.empty? ? [0, 0] : rows.map { |sample| sample.values.values_at(0, 2) }.transpose.map(&:sum)
  end
end
