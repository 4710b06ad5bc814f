# frozen_string_literal: true

# Work for the garbage collector: a cache that keeps many small objects alive, and requests that
# make many more objects that die at once. Run it with
#
#   rperf exec ruby examples/gc.rb

Entry = Struct.new(:key, :tags, :body)

# Keeps the last entries. Each consists of several objects that the marking phase has to visit.
class Cache
  def initialize(capacity)
    @capacity = capacity
    @entries = {}
  end

  def store(key)
    @entries[key] = Entry.new(key, [key.to_s, "tag-#{key % 10}"], {id: key, name: "name-#{key}"})
    @entries.shift if @entries.length > @capacity
  end

  def length = @entries.length
end

# Makes objects that die at once, for the sweeping phase.
def render(number)
  rows = Array.new(20) { |row| "<td>#{number}-#{row}</td>" }
  "<tr>#{rows.join}</tr>".length
end

cache = Cache.new(60_000)
bytes = 0
120_000.times do |number|
  cache.store(number)
  bytes += render(number)
end

puts "#{cache.length} entries kept, #{bytes} bytes rendered, #{GC.count} garbage collections"
