# frozen_string_literal: true

# A program that keeps what it makes: sessions grow, the cache has a limit, the rest dies.
module Keeping
  Visit = Struct.new(:path, :time)

  # What it keeps.
  class Shop
    CACHED = 40

    def initialize
      @visits = []
      @cache = {}
    end

    def serve(requests)
      requests.times { |number| visit(number) && cached("page #{number % 100}") && parse }
    end

    private

    # Grows for ever. It makes nothing else: a String that is only on the stack may be kept, and
    # weighs as much.
    def visit(number) = @visits << Visit.new(:items, number.to_f)

    def cached(key)
      @cache.delete(@cache.first.first) if @cache.size > CACHED
      @cache[key] = key * 50
    end

    def parse = Array.new(8) { |number| "word #{number}" }.map(&:upcase)
  end
end
