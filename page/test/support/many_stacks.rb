# frozen_string_literal: true

# A profile with many different stacks, as collapsed text: 100,000 unless told otherwise, up to 70
# frames deep, the same every time. As in programs, a function calls few others, and one of them
# most.
module ManyStacks
  FUNCTIONS = 4_000
  NAMES = Array.new(FUNCTIONS) { |number| "Module#{number % 200}::Class#{number % 37}#method_#{number}" }.freeze
  DEEPEST = 70

  def self.collapsed(stacks = 100_000, random: Random.new(20_260_225))
    seen = Hash.new(0)
    path = [0]
    until seen.length == stacks
      # What ran before is still there in part.
      path = path.first(1 + random.rand(path.length))
      depth = random.rand(5..DEEPEST)
      path << callee(path.last, random) while path.length < depth
      seen[path.dup] += random.rand(1_000_000..4_000_000)
    end
    seen.map { |stack, weight| "#{NAMES.values_at(*stack).join(";")} #{weight}\n" }.join
  end

  def self.callee(caller, random)
    choice = [0, 0, 0, 0, 0, 0, 1, 1, 2, 3][random.rand(10)]
    (caller * 31 + choice * 977 + 1) % FUNCTIONS
  end
  private_class_method :callee
end
