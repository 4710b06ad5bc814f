# frozen_string_literal: true

require_relative "support/measured"
require_relative "support/workloads"

# In cpu mode CPU time without the GVL belongs to the method that gave it up: also where many short
# system calls come before a wait, as in a server, and there are too many to measure each.
class WithoutGvlAccuracyTest < Minitest::Test
  include Measured
  include WorkloadsForPrograms

  # A method's time may differ from what it measured by so much of all time. Where each is measured
  # only what is at the edges differs; else it is some hundred that are met by chance.
  WITHIN = 0.1

  # What each method used by its own clock, and by the profile; in ns.
  REQUESTS = <<~RUBY
    require #{WORKLOADS.dump}
    USED = Hash.new(0)
    def own = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
    # With what it takes to call C, to give up the GVL and to have it again.
    def use(name, begun) = USED[name] += own - begun
    def write_shortly(time = 20_000) = use("Object#write_shortly", own.tap { Workloads.burn_without_gvl(time) })
    def write_long = use("Object#write_long", own.tap { Workloads.burn_without_gvl(60_000) })
    def nap = use("Object#nap", own.tap { Workloads.sleep_without_gvl(500_000) })
    def request
      5.times do
        4.times { write_shortly }
        write_long
      end
      nap
    end
    def compress = use("Object#compress", own.tap { Workloads.burn_without_gvl(5_000_000) })
    # Many that are hardly worth to be measured, and then few that are.
    def upload
      20_000.times { write_shortly(1_000) }
      40.times { compress }
    end
    def profile(**options, &work)
      data = Rperf.start(mode: :cpu, **options, &work)
      charged = USED.to_h { |name, _| [name, weight(having(data[:samples], name))] }
      puts JSON.generate(used: USED, charged:)
    end
  RUBY

  def assert_charged(found, names = found[:used].keys)
    names.each { |name| assert_in_delta found[:used][name], found[:charged][name], WITHIN * found[:used].values.sum, found }
  end

  # (At safepoints no tick meets a thread without the GVL.)
  {chance: "", in_their_order: "aggregate: false", native: "native: true"}.each do |name, options|
    define_method("test_short_system_calls_#{name}") do
      assert_charged measure("#{REQUESTS}\nprofile(#{options}) { 1_400.times { request } }")
    end

    # (What the many use besides, in Ruby, is as much as what they measure.)
    define_method("test_long_ones_after_many_short_ones_#{name}") do
      assert_charged measure("#{REQUESTS}\nprofile(#{options}) { upload }"), [:"Object#compress"]
    end
  end
end
