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
    in_directory do |directory|
      write_file(directory, "shop.rb", SHOP)
      result = rperf("record", "-o", "shop.json", RUBY, "shop.rb", directory:)
      assert_equal 0, result.code, result.inspect
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

  def test_a_method_that_moved_to_the_lines_of_another_one_is_not_in_the_page
    with_profile do |directory|
      moved = SHOP.sub("shown", "other").sub("secret", "shown").sub("other", "secret")
      write_file(directory, "shop.rb", moved)
      html = page("--focus", "#shown", directory:)
      [*PUBLIC, *PRIVATE].each { |text| refute_includes html, text }
    end
  end
end
