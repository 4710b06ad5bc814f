# frozen_string_literal: true

require "tmpdir"

# Threads that take work from a queue, compute, read and write files, and wait. Arguments: the
# number of pieces of work, and the work of Worker#changed in percent: 100, or more for a change
# that should be found.
class Worker
  LINES = Array.new(300) { |number| "line #{number} of a file that is read again\n" }.join.freeze

  def initialize(directory, percent)
    @path = File.join(directory, "file-#{object_id}")
    @count = 90 * percent
    File.write(@path, LINES)
  end

  def work(queue)
    while (number = queue.pop) != :end
      rewrite if (number % 10).zero?
      count(lines)
      changed
      format_all(number)
    end
  end

  def lines = 5.times.flat_map { File.readlines(@path) }
  def count(lines) = lines.map { |line| line.split.length }.tally
  def rewrite = File.write(@path, LINES)
  def format_all(number) = Array.new(1500) { |index| format("%05d-%s", index * number, "x") }

  # Takes a tenth of all time.
  def changed
    sum = 0
    @count.times { |number| sum ^= number }
    sum
  end
end

pieces, percent = ARGV.map { |word| Integer(word) }
Dir.mktmpdir do |directory|
  queue = Thread::SizedQueue.new(8)
  workers = Array.new(4) { Worker.new(directory, percent) }
  threads = workers.map { |worker| Thread.new { worker.work(queue) } }
  pieces.times { |number| queue << number }
  workers.each { queue << :end }
  threads.each(&:join)
end
