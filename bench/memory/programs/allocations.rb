# frozen_string_literal: true

# A loop that does nothing but allocate: a String, an Array of two, a Hash of two.
module Program
  def self.call
    10_000.times { |number| [+"text", [number, number], {one: number, two: number}] }
  end
end
