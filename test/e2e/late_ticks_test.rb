# frozen_string_literal: true

require_relative "../support/program"

# A tick is late if the whole program was stopped when it was due: by a container's limit, or here
# by a signal. By the wall clock that time belongs to the place at which the program was stopped.
class LateTicksTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # Ticks come each 50 ms. The program is in `stopped` for another 5 ms after a stop, so that the
  # tick after the late one meets `other` nine times out of ten. Prints for how long it was stopped.
  PROGRAM = <<~RUBY
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    def compute = 200.times { |number| number ^ 1 }
    def compute_for(seconds) = now.then { |begun| compute while now - begun < seconds }

    def stopped(stopper, last = now, stop = 0)
      stopper.close
      until stop > 0.4
        compute
        stop = now - last
        last += stop
      end
      compute_for(0.005)
      stop
    end

    def other(seconds) = compute_for(seconds)

    # Fewer than 20 ticks weigh all the time since the last one.
    compute_for(1.5)
    stops = Array.new(4) do
      input, stopper = IO.pipe
      spawn("read _; kill -STOP $PPID; sleep 0.5; kill -CONT $PPID", in: input)
      stopped(stopper).tap { other(0.15) }
    end
    Process.waitall
    print stops.sum
  RUBY

  def test_the_time_of_a_stop_belongs_to_the_method_that_was_stopped
    in_directory do |directory|
      result = rperf("record", "-m", "wall", "-f", "20", "-o", "p.json", RUBY, "-e", PROGRAM, directory:)
      assert_equal 0, result.code, result.inspect
      stops = Float(result.out)
      charged = seconds(Rperf.load(File.join(directory, "p.json")))
      # One tick of the four may be so late that it meets the other method, or its time be the first
      # ticks', which make up for what ran before.
      assert_operator charged["Object#stopped"], :>, 0.6 * stops, charged.inspect
      assert_operator charged["Object#other"], :<, 0.6 + 0.4 * stops, charged.inspect
    end
  end

  private

  # Returns the seconds of each method with what it calls.
  def seconds(data)
    data[:samples].each_with_object(Hash.new(0)) do |(frames, weight), sums|
      frames.map(&:last).uniq.each { |label| sums[label] += weight / 1e9 }
    end
  end
end
