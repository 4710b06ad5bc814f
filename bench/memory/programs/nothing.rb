# frozen_string_literal: true

# A loop that allocates nothing.
module Program
  def self.call
    sum = 0
    10_000.times { |number| sum = (sum ^ (number * 31)) & 0xffff_ffff }
    sum
  end
end
