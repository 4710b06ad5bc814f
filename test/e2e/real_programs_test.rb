# frozen_string_literal: true

require_relative "../support/program"

# Programs of other authors, from Ruby's bundled gems, on Ruby's standard library; read back
# by Go's pprof.
class RealProgramsTest < Minitest::Test
  include ProgramSupport

  LIBRARY = RbConfig::CONFIG.fetch("rubylibdir")

  # Names that pprof shows, with what each takes in cumulative percent.
  def profile(mode, *command)
    in_directory do |directory|
      result = rperf("record", "-m", mode, "-o", "p.pb.gz", *command, directory:)
      assert_equal 0, result.code, result.inspect
      rows = pprof_top("p.pb.gz", directory:)
      yield rows.to_h { |flat, cumulative, name| [name.delete_suffix(" (inline)"), [flat.to_f, cumulative.to_f]] }, result
    end
  end

  # The functions add up: one of them spans most, and flat shares sum to about the whole.
  def assert_adds_up(functions)
    assert_operator functions.length, :>, 20
    assert_in_delta 100, functions.values.sum(&:first), 5
    assert_operator functions.values.map(&:last).max, :>, 50
  end

  %w[cpu wall].each do |mode|
    define_method("test_rdoc_in_#{mode}_mode") do
      files = %w[set.rb optparse.rb].map { |name| File.join(LIBRARY, name) }
      profile(mode, "rdoc", "--quiet", "--output", "doc", *files) do |functions,|
        assert_adds_up functions
        assert(functions.keys.any? { |name| name.start_with?("RDoc::") }, functions.keys.first(30).inspect)
        # The rest is what loading takes, from a slow disk perhaps.
        assert_operator functions.fetch("RDoc::RDoc#document").last, :>, 5
      end
    end

    define_method("test_rbs_in_#{mode}_mode") do
      code = "require 'rbs'; 3.times { RBS::Environment.from_loader(RBS::EnvironmentLoader.new).resolve_type_names }; puts 'done'"
      profile(mode, "ruby", "-e", code) do |functions, result|
        assert_equal "done\n", result.out
        assert_adds_up functions
        assert(functions.keys.any? { |name| name.start_with?("RBS::") }, functions.keys.first(30).inspect)
      end
    end
  end

  def test_irb_without_a_terminal
    in_directory do |directory|
      input = write_file(directory, "input", "def work = 300_000.times { |i| i * i }\n3.times { work }\nputs 'from irb'\nexit\n")
      result = rperf("record", "-o", "p.pb.gz", "irb", "-f", "--noautocomplete", directory:, input:, env: {"HOME" => directory})
      assert_equal 0, result.code, result.inspect
      assert_includes result.out, "from irb"
      names = pprof_top("p.pb.gz", directory:).map(&:last)
      assert(names.any? { |name| name.include?("#work") }, names.first(30).inspect)
    end
  end

  def test_the_examples
    %w[cpu.rb gc.rb mixed.rb].each do |name|
      in_directory do |directory|
        result = rperf("exec", "ruby", File.join(ROOT, "examples", name), directory:)
        assert_equal 0, result.code, result.inspect
        refute_empty result.out
        assert_match(/^Flat:$/, result.err)
      end
    end
  end
end
