# frozen_string_literal: true

# A small web shop without the web: threads that answer requests, with a label for each request. Run
# it with
#
#   rperf record -m wall -o shop.json ruby examples/shop.rb
#   CACHE=40 rperf record -m wall -o slow.json ruby examples/shop.rb   # a slower variant

require "rperf"
require "json"
require "digest"

# Returns rows by number, after a short wait as for a disk.
class Database
  def find(number)
    sleep(0.0005)
    { id: number, name: "Thing #{number}", price: number * 7 % 100, tags: Array.new(20) { |tag| "tag#{tag * number}" } }
  end
end

# The items of the shop. Keeps up to `remembered` of the items that it has looked up.
class Catalogue
  ITEMS = 150

  def initialize(database, remembered:)
    @database = database
    @remembered = remembered
    @cache = {}
  end

  def item(number)
    number %= ITEMS
    @cache.delete(@cache.first.first) if @cache.length > @remembered
    @cache[number] ||= load(number)
  end

  def search(from, words) = (from..from + 20).map { |number| item(number) }.sort_by { |item| -score(item, words) }

  private

  def load(number) = @database.find(number).merge(signature: sign(number))

  def sign(number) = Digest::SHA256.hexdigest("item-#{number}" * 12_000)

  def score(item, words) = words.sum { |word| item[:tags].count { |tag| tag.include?(word) } }
end

# Answers requests.
class Shop
  def initialize(catalogue)
    @catalogue = catalogue
  end

  def call(path, number)
    case path
    when "/items" then page("Item", [@catalogue.item(number)])
    when "/search" then page("Results", @catalogue.search(number, %w[1 2 3]))
    when "/export" then JSON.generate(Array.new(60) { |row| @catalogue.item(number + row) })
    end
  end

  private

  def page(title, items) = "<h1>#{title}</h1><ul>#{items.map { |item| line(item) }.join}</ul>"

  def line(item) = "<li>#{item[:name].gsub(/\w+/) { |word| word.capitalize }} #{item[:tags].join(", ")}</li>" * 8
end

shop = Shop.new(Catalogue.new(Database.new, remembered: Integer(ENV.fetch("CACHE", 130))))
paths = %w[/items /search /items /items /search /items /items /export]
requests = Queue.new
600.times { |number| requests << [paths[number % paths.length], number * 17] }
requests.close

workers = Array.new(4) do
  Thread.new do
    sizes = []
    while (path, number = requests.pop)
      Rperf.label(endpoint: path, tenant: number.even? ? "acme" : "globex") { sizes << shop.call(path, number).bytesize }
    end
    sizes
  end
end

sizes = workers.flat_map(&:value)
puts "#{sizes.length} requests, #{sizes.sum} bytes"
