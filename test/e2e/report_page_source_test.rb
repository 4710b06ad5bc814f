# frozen_string_literal: true

require_relative "../support/program"

# Who gets a page gets source lines with it: none of a method that the filters left out.
class ReportPageSourceTest < Minitest::Test
  include ProgramSupport

  SHOP = <<~'RUBY'
    class Shop
      # The recipe of the house.
      def secret
        ingredients = %w[walnut cloves]
        until_later { ingredients.join.hash }
      end

      # What everybody may see.
      def shown
        signs = %w[open closed]
        until_later { signs.join.hash }
      end

      def until_later
        limit = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) + 0.2
        yield while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < limit
      end
    end

    shop = Shop.new
    shop.shown
    shop.secret
  RUBY
  PUBLIC = ["# What everybody may see.", "signs = %w[open closed]"].freeze
  PRIVATE = ["# The recipe of the house.", "ingredients = %w[walnut cloves]", "ingredients.join"].freeze

  # Yields the directory of a profile of the shop.
  def with_profile
    recorded = shared_directory do |directory|
      write_file(directory, "shop.rb", SHOP)
      result = rperf("record", "-o", "shop.json", RUBY, "shop.rb", directory:)
      assert_equal 0, result.code, result.inspect
    end
    in_directory do |directory|
      FileUtils.cp([File.join(recorded, "shop.json"), File.join(recorded, "shop.rb")], directory)
      yield directory
    end
  end

  # The page of `rperf report` with these words.
  def page(*words, directory:)
    result = rperf("report", "--html", "-", *words, "shop.json", directory:)
    assert_equal [0, ""], [result.code, result.err]
    result.out
  end

  def test_source_of_what_the_filters_left_out_is_not_in_the_page
    with_profile do |directory|
      [*PUBLIC, *PRIVATE].each { |text| assert_includes page(directory:), text }
      [%w[--ignore secret], %w[--focus #shown], %w[--hide secret], %w[--show shown|<main>]].each do |filter|
        html = page(*filter, directory:)
        PUBLIC.each { |text| assert_includes html, text, filter.inspect }
        PRIVATE.each { |text| refute_includes html, text, filter.inspect }
      end
    end
  end

  # What is computed is Ruby's (JSON), the project's in two directories, evaluated, and a command's.
  PLACES = <<~'RUBY'
    require "json"
    require_relative "lib/burning"
    eval("def evaluated = Burning.burn(0.15)", binding, File.join(__dir__, "views/page.erb"), 7)
    evaluated
    limit = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) + 0.2
    JSON.pretty_generate([1] * 2_000) while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < limit
  RUBY

  # Directories of the machine that the profile names.
  def directories_in(text) = text.scan(%r{(?<![\w.:/…<])/(?:[\w.+-]+/)+}).uniq

  def test_a_page_that_others_get_says_nowhere_where_files_lie
    in_directory do |directory|
      FileUtils.mkdir_p(File.join(directory, "lib"))
      FileUtils.cp(File.join(ROOT, "test/support/burning.rb"), File.join(directory, "lib"))
      write_file(directory, "main.rb", PLACES)
      assert_equal 0, rperf("record", "-o", "shop.json", RUBY, File.join(directory, "main.rb"), directory:).code
      assert_includes File.read(File.join(directory, "shop.json")), directory
      html = rperf("report", "--html", "-", File.join(directory, "shop.json"), directory:).out
      data = html[/id="data">([^<]*)</, 1]
      %w[main.rb lib/burning.rb views/page.erb ruby/json/].each { |path| assert_includes data, %("#{path}) }
      [directory, Dir.home, RbConfig::CONFIG["prefix"]].each { |place| refute_includes html, place }
      assert_empty directories_in(data.sub(/"sources":.*/, ""))
      assert_includes html, "<title>shop.json"
      assert_includes html, "def burn(seconds)", "the source is found all the same"
    end
  end

  def test_a_method_that_moved_to_the_lines_of_another_one_is_not_in_the_page
    with_profile do |directory|
      moved = SHOP.sub("shown", "other").sub("secret", "shown").sub("other", "secret")
      write_file(directory, "shop.rb", moved)
      html = page("--focus", "#shown", directory:)
      [*PUBLIC, *PRIVATE].each { |text| refute_includes html, text }
    end
  end
end
