# frozen_string_literal: true

# A program of 5,000 stacks of 40 frames, of methods of its own: what a period of a large
# application has.
module ManyStacks
  DEPTH = 40
  WAYS = 5_000
  # Each of 1,000 methods calls one of two others: twelve calls of choice are 4,096 ways, and the
  # method at the leaf is another choice.
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

  # What each stack ends with: a tick, unless a program says otherwise.
  def self.leaf = Rperf::Native.tick

  # All stacks, one after the other.
  def self.visit = WAYS.times { |way| go(way) }

  # The stack of this number.
  def self.go(way) = send(NAMES[way % METHODS], way, (DEPTH / 2) - 1)
end
