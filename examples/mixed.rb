# frozen_string_literal: true

# Threads that compute, read and write files, and wait. Run it with
#
#   rperf exec ruby examples/mixed.rb

require "digest"
require "tempfile"

# Computes, and needs the GVL for it.
def parse(text)
  text.each_line.sum { |line| line.split(",").sum(&:to_i) }
end

# Writes to a disk and reads back.
def store(text)
  Tempfile.create("rperf-example") do |file|
    file.write(text)
    file.flush
    file.fsync
    file.rewind
    file.read.length
  end
end

# Stands for a service that answers after 20 ms.
def ask_service(question)
  reader, writer = IO.pipe
  answer = Thread.new do
    sleep(0.02)
    writer.puts(Digest::SHA256.hexdigest(question))
    writer.close
  end
  reader.read
ensure
  answer.join
  reader.close
end

def work(number)
  text = Array.new(2000) { |row| "#{number},#{row},#{row * number}\n" }.join
  [parse(text), store(text), ask_service(text)]
end

queue = Queue.new
120.times { |number| queue << number }
queue.close

workers = Array.new(4) do
  Thread.new do
    results = []
    while (number = queue.pop)
      results << work(number)
    end
    results
  end
end

results = workers.flat_map(&:value)
puts "#{results.length} pieces of work, sum #{results.sum(&:first)}"
