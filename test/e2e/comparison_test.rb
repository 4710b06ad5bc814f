# frozen_string_literal: true

require "json"
require_relative "../support/program"

# `rperf diff` of real recordings: which functions are the same, and what chance explains.
class ComparisonTest < Minitest::Test
  include ProgramSupport
  include ProgramSupport::WithoutGems

  # Loops in C and in Ruby, the collector, and methods of all sizes.
  WORK = <<~RUBY
    require_relative "lib/shop"
    Integer(ARGV.fetch(0)).times { Shop.new.call(Integer(ARGV.fetch(1))) }
  RUBY
  SHOP = <<~RUBY
    class Shop
      NUMBERS = (1..2000).to_a.freeze

      def prices = (1..1500).map { |number| number * number % 17 }
      def words = %w[a bb ccc dddd].map { |word| word * 20 }.join(" ").split.sort
      def table = Array.new(150) { |number| [number, number.to_s] }.to_h.select { |key, _| key.even? }
      def each_number = NUMBERS.each { |number| number * number }
      def slow(times) = times.times { prices }

      def call(times)
        prices
        6.times { words }
        4.times { each_number }
        table
        slow(times)
      end
    end
  RUBY
  METHODS = %w[Shop#prices Shop#words Shop#table Shop#each_number Shop#slow Shop#call].freeze

  # How many times all is done; a recording has some hundred ticks.
  ROUNDS = 400

  # Records the program in a directory of its own: the same recording for all tests that ask for it.
  def record(checkout, name, *ruby, times: 1)
    directory = shared_directory([checkout, name]) do |directory|
      root = File.join(directory, checkout)
      write_file(root, "work.rb", WORK)
      write_file(root, "lib/shop.rb", SHOP)
      result = rperf("record", "-o", "../profile", RUBY, *ruby, "work.rb", ROUNDS.to_s, times.to_s, directory: root)
      assert_equal 0, result.code, result.inspect
    end
    File.join(directory, "profile")
  end

  def compare(*words, directory:)
    result = rperf("diff", "--top", "--nodefraction", "0", "--format", "json", *words, directory:)
    assert_equal [0, ""], [result.code, result.err]
    JSON.parse(result.out)
  end

  # The functions of a comparison, by name and path.
  def rows(document) = document.fetch("functions").to_h { |row| [row.values_at("name", "path"), row] }

  # The time before with what the function calls.
  def time_in(name, document) = document.fetch("functions").sum { |row| row["name"] == name ? row["before"]["cum"] : 0 }

  # What changed beyond chance, a line each.
  def beyond(document)
    document.fetch("functions").filter_map do |row|
      "#{row["name"]} #{row.slice("before", "after", "chance")}" if row["beyond_chance"].value?(true)
    end
  end

  # Of 20 comparisons of a program with itself, one may have something beyond chance. Here one of
  # four may.
  def assert_chance(comparisons)
    found = comparisons.map { |document| beyond(document) }
    assert_operator found.count(&:any?), :<=, 1, found.inspect
  end

  def test_the_same_program_from_two_directories
    in_directory do |directory|
      pairs = Array.new(3) do |index|
        %w[one other].map { |checkout| record(checkout, index) }
      end
      bases, targets = pairs.transpose
      comparisons = pairs.map { |files| compare(*files, directory:) }
      assert_chance([*comparisons, compare(*bases.flat_map { |base| ["--base", base] }, *targets, directory:)])
      functions = rows(comparisons.first)
      METHODS.each do |name|
        same = functions.select { |(function, _), _| function == name }
        assert_equal 1, same.length, same.keys.inspect
        row = same.values.first
        assert row["before"]["cum"].positive? && row["after"]["cum"].positive?, row.inspect
      end
      comparisons.first["ticks"].fetch_values("before", "after").each { |ticks| assert_operator ticks, :>, 20 }
    end
  end

  def test_native_functions_on_one_side
    in_directory do |directory|
      code = '2_000_000.times { |number| number.to_s }'
      %w[plain native again].zip([[], %w[--native], %w[--native]]) do |name, options|
        assert_equal 0, rperf("record", *options, "-o", name, RUBY, "-e", code, directory:).code
      end
      said = rperf("diff", "--top", "plain", "native", directory:)
      assert_equal [0, "rperf: 'native' has native functions (--native), 'plain' has none, so methods in C differ for that alone: " \
                       "record both sides alike\n"], [said.code, said.err]
      assert_equal "", rperf("diff", "--top", "native", "again", directory:).err
    end
  end

  def test_the_interpreter_and_yjit_have_the_same_functions
    in_directory do |directory|
      base, target = record("one", 0), record("other", "yjit", "--yjit")
      functions = rows(compare(base, target, directory:))
      METHODS.each do |name|
        row = functions.find { |(function, _), _| function == name }.last
        assert row["before"]["cum"].positive? && row["after"]["cum"].positive?, row.inspect
      end
      # RubyGems has a `require` of its own.
      names = functions.keys.map(&:first) - ["Kernel#require"]
      assert_equal names.uniq, names, "a function is there twice"
      each = functions.find { |(name, _), _| name == "Array#each" }.last
      assert each["before"]["cum"].positive? && each["after"]["cum"].positive?, each.inspect
    end
  end

  POOL = <<~RUBY
    queue = Thread::Queue.new
    threads = Array.new(4) { Thread.new { nil while queue.pop } }
    sleep(0.5)
    40.times { (1..20_000).map { |number| number.to_s }.sort }
    queue.close
    threads.each(&:join)
  RUBY

  def test_threads_that_wait_for_work_are_left_out_of_both_sides
    in_directory do |directory|
      write_file(directory, "pool.rb", POOL)
      files = %w[before after].each do |name|
        assert_equal 0, rperf("record", "-m", "wall", "-o", name, RUBY, "pool.rb", directory:).code
      end
      document = compare(*files, directory:)
      assert document["idle"]["folded"], document["idle"].inspect
      assert_equal [4, 4], [document["idle"], document["idle"]["before"]].map { |idle| idle["threads"] }
      assert_match(/^before 4 threads x .* idle, after 4 threads x .* idle folded; --idle shows them$/,
                   rperf("diff", "--top", *files, directory:).out)
      all = compare("--idle", *files, directory:)
      refute all["idle"]["folded"]
      # A worker waits for the GVL, too, when it is woken.
      folded_time, time = [document, all].map { |comparison| time_in("Thread::Queue#pop", comparison) }
      assert_operator folded_time, :<, time / 2
      assert_operator all["total"], :>, document["total"] * 2
    end
  end

  def test_a_method_that_takes_longer_is_beyond_chance
    in_directory do |directory|
      bases = Array.new(2) { |index| record("one", index) }
      targets = Array.new(2) { |index| record("other", "slow #{index}", times: 12) }
      assert_includes beyond(compare(bases.first, targets.first, directory:)).join, "Shop#slow "
      several = bases.flat_map { |base| ["--base", base] }
      assert_includes beyond(compare(*several, *targets, directory:)).join, "Shop#slow "
      gate = rperf("diff", "--fail-above", "5", *several, *targets, directory:)
      assert_equal 3, gate.code
      assert_match(/^rperf: 'Shop#slow' grew by more than 5% of .* \(n = \d+ and \d+ ticks\), beyond chance: self /, gate.err)
    end
  end

  def test_the_page_knows_functions_of_another_directory
    in_directory do |directory|
      files = %w[one other].map { |checkout| record(checkout, 0) }
      page = rperf("diff", "--html", "-", *files, directory:).out
      data = JSON.parse(page[%r{<script[^>]*application/json[^>]*>(.*?)</script>}m, 1])
      strings, functions = data.fetch_values("strings", "functions")
      names = functions["label"].map { |index| strings[index] }
      METHODS.each { |name| assert_equal 1, names.count(name), name }
    end
  end
end
