# frozen_string_literal: true

# A loop that mostly takes memory from malloc and frees it: seven blocks a round. Two of them belong
# to a string and an array that have grown.
module Program
  def self.call
    5000.times do
      text = "x" * 700
      text << text
      list = Array.new(90)
      list.concat(list)
      ["y" * 700, "z" * 800, Array.new(100)]
    end
  end
end
