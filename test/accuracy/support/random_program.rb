# frozen_string_literal: true

# A program whose threads do random things, in random labels, and know what each has cost them.
# Prints as JSON what it measured, and what the profile says: [spent, found] in seconds, by method
# and by label.
#   ruby -Ilib random_program.rb SEED MODE CIRCUMSTANCE

require "digest"
require "json"
require "rperf"
require "timeout"
require "zlib"
require_relative "../../support/burning"

Warning[:experimental] = false

# What threads do. Each takes a Random.
module Steps
  TEXT = ("abc def ghi " * 20_000).freeze
  LOCK = Mutex.new
  CHANGED = ConditionVariable.new

  module_function

  def step_burn(random, seconds = random.rand(0.006)) = Burning.burn(seconds)
  def step_calls(random) = random.rand(500..3_000).times { |number| number.to_s }
  def step_sleep(random) = sleep(random.rand(0.01))
  def step_short_sleeps(_random) = 10.times { sleep 0.0001 }
  def step_lock(random) = LOCK.synchronize { step_burn(random, 0.0005) && sleep(0.0005) }
  def step_change(_random) = LOCK.synchronize { CHANGED.wait(LOCK, 0.001) }
  def step_pass(_random) = 50.times { Thread.pass }
  def step_pipe(_random) = IO.pipe { |reader, writer| writer.write("x" * 100) && reader.readpartial(100) }
  def step_enumerator(_random) = Enumerator.new { |values| step_values(values) }.then { |values| 100.times { values.next } }
  def step_values(values) = loop { values << 1 }
  def step_fiber(_random) = Fiber.new { 20.times { |number| Fiber.yield(number.to_s) } }.then { |fiber| 20.times { fiber.resume } }
  def step_objects(random) = random.rand(500..5_000).times { [1, 2, 3] }
  def step_collect(random) = (GC.start if random.rand < 0.2)
  def step_deflate(random) = Zlib.deflate(TEXT[0, random.rand(1_000..200_000)])
  def step_digest(_random) = Digest::SHA256.hexdigest(TEXT)
  def step_scan(_random) = TEXT.scan(/d[aeiou]f/)
  def step_sort(random) = Array.new(3_000) { random.rand }.sort_by(&:-@)
  def step_raise(_random) = 50.times { Integer("x") rescue nil } # rubocop:disable Style/RescueModifier
  def step_throw(_random) = 50.times { catch(:done) { [1].each { throw :done } } }
  def step_timeout(random) = Timeout.timeout(5) { step_burn(random, 0.0005) }
  def step_file(_random) = File.read(__FILE__)
  def step_program(random) = (system("true") if random.rand < 0.2)
  def step_deep(random, depth = random.rand(10..300)) = depth.zero? ? step_burn(random, 0.0005) : step_deep(random, depth - 1)
  def step_select(_random) = IO.select(nil, nil, nil, 0.001)
  def step_number(random) = (3**random.rand(500..4_000)).to_s

  # Those that a thread begins with.
  ALL = methods(false).grep(/\Astep_/) - %i[step_values]
end

# The program.
class RandomProgram
  SECONDS = 1.0
  CLOCKS = {cpu: Process::CLOCK_THREAD_CPUTIME_ID, wall: Process::CLOCK_MONOTONIC}.freeze
  # What the process has done before, or does meanwhile.
  CIRCUMSTANCES = {
    "alone" => ->(work) { work.call },
    "after_a_session" => lambda do |work|
      Rperf.start(mode: %i[cpu wall alloc]) { Thread.new { Steps.step_sort(Random) }.join }
      work.call
    end,
    "in_a_child" => lambda do |work|
      Rperf.start(mode: :cpu)
      Process.wait(fork { work.call })
      Rperf.stop
    end,
    "beside_ractors" => lambda do |work|
      2.times { Ractor.new { loop { sleep 0.01 } } }
      Rperf.start(mode: :wall) { sleep 0.05 }
      work.call
    end
  }.freeze

  def initialize(seed, mode)
    @seed, @mode, @random = seed, mode, Random.new(seed)
    @spent = sums
    @lock = Mutex.new
  end

  def run
    Rperf.start(mode: @mode, frequency: 1000)
    parts = [*work, Rperf.stop]
    puts JSON.generate({"dropped" => parts.sum { |data| data[:dropped].sum { |_cause, drop| drop[:weight_ns] } } / 1e9, **compared(found(parts))})
  end

  private

  # Seconds, none yet.
  def sums = {"methods" => Hash.new(0.0), "labels" => Hash.new(0.0)}

  # Returns the profiles of the periods that have ended.
  def work
    @finish = now(:wall) + SECONDS
    threads = Array.new(@random.rand(1..6)) { |number| Thread.new { thread(Random.new(@seed * 100 + number)) } }
    parts = []
    parts << Rperf.snapshot(clear: true) while @random.rand < 0.7 && sleep(@random.rand(0.1)) && now(:wall) < @finish
    threads.each(&:join)
    parts
  end

  def thread(random)
    Thread.current.name = "random"
    steps = Steps::ALL.sample(random.rand(1..6), random:)
    spent = sums
    labelled(random, {}) { |labels| step(steps.sample(random:), random, labels, spent) } while now(:wall) < @finish
    @lock.synchronize { spent.each { |kind, sums| sums.each { |key, seconds| @spent[kind][key] += seconds } } }
  end

  # Yields the labels, which the thread has.
  def labelled(random, labels, &block)
    return block.call(labels) if random.rand < 0.5 || labels.size > 2
    key, value = "key#{random.rand(3)}", "value#{random.rand(2)}"
    Rperf.label(key.to_sym => value) { labelled(random, labels.merge(key => value), &block) }
  end

  # (Nothing between the readings looks for interrupts but the step.)
  def step(name, random, labels, spent)
    clock = CLOCKS.fetch(@mode)
    begun = Process.clock_gettime(clock)
    Steps.__send__(name, random)
    seconds = Process.clock_gettime(clock) - begun
    spent["methods"][name.to_s] += seconds
    spent["labels"][labels.sort.join(" ")] += seconds
  end

  # In seconds, of the program's threads.
  def found(parts)
    parts.each_with_object(sums) do |data, sums|
      threads = data[:threads].select { |thread| thread[:name] == "random" }.map { |thread| thread[:thread_seq] }
      data[:samples].each do |sample|
        frames, weight, thread, set = sample
        method = frames.reverse.filter_map { |_path, name| name[/\bStep\w*\.(step_\w+)\z/, 1] }.first
        next unless method && threads.include?(thread)
        sums["methods"][method.sub("step_values", "step_enumerator")] += weight / 1e9
        sums["labels"][data.fetch(:label_sets, [{}])[set].sort.join(" ")] += weight / 1e9
      end
    end
  end

  def compared(found)
    @spent.to_h { |kind, sums| [kind, (sums.keys | found[kind].keys).to_h { |key| [key, [sums[key], found[kind][key]]] }] }
  end

  def now(mode) = Process.clock_gettime(CLOCKS.fetch(mode))
end

seed, mode, circumstance = ARGV
RandomProgram::CIRCUMSTANCES.fetch(circumstance).call(-> { RandomProgram.new(Integer(seed), mode.to_sym).run })
