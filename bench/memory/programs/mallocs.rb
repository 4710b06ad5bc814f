# frozen_string_literal: true

# A loop that does little but take memory from malloc and give it back: seven blocks a round, two of
# which are those of a string and of an array that have grown.
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
