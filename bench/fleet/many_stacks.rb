# frozen_string_literal: true

# A program of 5,000 stacks of 40 frames, in methods made for it: the number of stacks that a large
# application has in a period.
module ManyStacks
  DEPTH = 40
  WAYS = 5_000
  # Number of methods. Each calls one of two others: twelve such choices make 4,096 ways, and the
  # choice of the outermost method makes more.
  METHODS = 1_000

  METHODS.times do |number|
    module_eval <<~RUBY, "#{__dir__}/made_#{number % 50}.rb", number + 1
      def self.m#{number}(way, left)
        return leaf if left == 0
        send(NAMES[(#{number} * 7 + (way & 1) * 331 + left) % METHODS], way >> 1, left - 1)
      end
    RUBY
  end
  NAMES = Array.new(METHODS) { |number| :"m#{number}" }.freeze

  # The leaf of each stack: takes a tick, unless a program redefines it.
  def self.leaf = Rperf::Native.tick

  # Calls all stacks, one after the other.
  def self.visit = WAYS.times { |way| go(way) }

  # Calls the stack with this number.
  def self.go(way) = send(NAMES[way % METHODS], way, (DEPTH / 2) - 1)
end
