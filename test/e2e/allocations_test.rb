# frozen_string_literal: true

require_relative "../vm/support/manual_session"

# Rperf.allocations: the objects of one thread in a block.
class AllocationsTest < Minitest::Test
  include ManualSession

  def test_objects_of_the_thread_only
    assert_equal "10 0", ruby(<<~RUBY)
      other = Thread.new { loop { Object.new; Thread.pass } }
      block = -> { 10.times { Object.new; Thread.pass } }
      block.call # A call's first time may leave an object in its cache.
      print Rperf.allocations(&block), " ", Rperf.allocations {}
      other.kill
    RUBY
  end

  def test_blocks_in_blocks_and_fibers
    assert_equal "5 5", ruby(<<~RUBY)
      inner = nil
      work = -> { 5.times { [1] } }
      count = -> { inner = Rperf::Native.count_allocations(&work) }
      fiber = Fiber.new { loop { Fiber.yield(work.call) } }
      fiber.resume
      2.times { Rperf.allocations(&count) } # A call's first time may leave an object in its cache.
      outer = Rperf.allocations { fiber.resume }
      print inner, " ", outer
    RUBY
  end

  def test_what_the_block_raises_and_throws
    assert_equal "raised thrown 7 1", ruby(<<~RUBY)
      begin
        Rperf.allocations { raise "raised" }
      rescue RuntimeError => error
        print error.message, " "
      end
      print catch(:thrown) { Rperf.allocations { throw :thrown, "thrown" } }, " ", Rperf.allocations { break 7 }, " "
      print Rperf.allocations { [1] }
    RUBY
  end

  # In threads of the main Ractor that change their native thread, too.
  def test_each_of_many_threads
    code = <<~RUBY
      count = ->(n) { Rperf.allocations { (n * 100).times { Object.new; Thread.pass if n.odd? } } }
      count.call(1) # A call's first time may leave an object in its cache.
      print Array.new(20) { |n| Thread.new { count.call(n) } }.map(&:value).join(" ")
      # With M:N threads, Ruby 3.4 crashes now and then when it ends, also without rperf.
      $stdout.flush
      exit!(true)
    RUBY
    expected = Array.new(20) { |number| number * 100 }.join(" ")
    assert_equal expected, ruby(code)
    assert_equal expected, ruby(code, env: {"RUBY_MN_THREADS" => "1"})
  end

  def test_beside_ractors_that_allocate
    assert_equal "1000", ruby(<<~RUBY)
      block = -> { 1000.times { Object.new; Thread.pass } }
      block.call
      ractors = Array.new(2) { Ractor.new { 200_000.times { [1] } } }
      print Rperf.allocations(&block)
      ractors.each(&:take)
    RUBY
  end

  def test_what_cannot_be_counted
    message = "Rperf.allocations cannot count here: rperf does not see every object that this Ruby"
    assert_match(/\A#{message} .*; use GC.stat/, ruby(<<~RUBY, env: {"RPERF_ALLOCATION_PROOF" => "fail"}))
      begin
        Rperf.allocations {}
      rescue Rperf::Error => error
        print error.message
      end
    RUBY
    assert_match(/works in the main Ractor only/, ruby("Ractor.new { Rperf.allocations {} rescue print($!.message) }.take"))
    assert_match(/needs a block/, ruby("begin; Rperf.allocations; rescue ArgumentError => e; print e.message; end"))
  end
end
