# frozen_string_literal: true

# A program that ends while its session runs, with threads that still work: Ruby removes all trace
# functions before it ends the threads, so nothing announces a collection any more.
#   ruby program.rb SHAPE cpu|wall FREQUENCY

require "rperf"

# What the threads do when they are told to end: garbage whose environments and code die young.
module Work
  module_function

  def closures
    50.times.map { |i| proc { |text| "#{i}#{text}" } }.each { |closure| closure.call("a") }
  end

  def blocks
    [3, 1, 2].each { |x| [x].map { |y| ->(z) { z + y }.call(x) } }
  end

  def fibers
    fiber = Fiber.new { [1, 2, 3].each { |x| [x].each { |y| Fiber.yield(->(z) { z + y }) } } }
    3.times { fiber.resume.call(1) }
  end

  def short_lived_methods
    Object.new.tap { |object| object.define_singleton_method(:once) { [self].map(&:itself) } }.once
  end

  def all
    closures
    blocks
    fibers
    short_lived_methods
  end
end

# Ways to end.
module Shapes
  LAST_WORK_S = 0.15
  module_function

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def work_until(end_s)
    Work.all while now < end_s
  end

  def thread
    Thread.new do
      loop { Work.all }
    ensure
      work_until(now + LAST_WORK_S)
    end
  end

  # The main thread comes to its end.
  def ensured_threads
    4.times { thread }
    work_until(now + LAST_WORK_S)
  end

  # An error that the program does not rescue: Ruby makes its message when the hooks are gone.
  def unrescued_error
    4.times { thread }
    work_until(now + LAST_WORK_S)
    error = Class.new(StandardError) { define_method(:detailed_message) { |**| Shapes.work_until(Shapes.now + LAST_WORK_S) || "expected" } }
    raise error
  end

  # (Without fibers: Ruby 3.4 crashes by itself where several Ractors make them.)
  def ractors
    ractors = Array.new(2) { Ractor.new { loop { Work.closures && Work.blocks } } }
    4.times { thread }
    work_until(now + LAST_WORK_S)
    ractors.size
  end

  # Finalizers run when threads and hooks are gone.
  def finalizers
    20.times { ObjectSpace.define_finalizer(+"", proc { Work.all }) }
    ensured_threads
  end

  # Another tool that takes all trace functions away, and its own.
  def silenced_events
    other = TracePoint.new(:line) { nil }
    other.enable { ensured_threads }
  end

  # The program collects by itself only.
  def manual_collections
    GC.disable
    3.times { thread }
    20.times do
      work_until(now + 0.01)
      GC.start
    end
    GC.enable
  end

  # The child inherits hooks and threads that exist no more.
  def forked
    3.times { thread }
    await(fork { ensured_threads })
    pid = fork do
      Rperf.start(mode: :wall, frequency: 10_000)
      ensured_threads
    end
    await(pid)
  end

  def await(child)
    status = Process.wait2(child).last
    return if status.success?
    warn "the child ended with #{status}"
    exit!(1)
  end

  def executed
    4.times { thread }
    work_until(now + 0.1)
    exec("true")
  end
end

if $PROGRAM_NAME == __FILE__
  shape, mode, frequency = ARGV
  Warning[:experimental] = false
  Rperf.start(mode: mode.to_sym, frequency: Integer(frequency))
  Shapes.public_send(shape)
end
