# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/page"

# Whose lines go into the page: those of the functions that the profile has, and no others.
class PageExcerptTest < Minitest::Test
  SHOP = <<~'RUBY'
    require "json"
    # The shop.
    class Shop
      LIMIT = 5

      # What is sold.
      # In two lines.
      def sell(items)
        items.each do |item|
          item.to_s
        end
      end

      def hide = 17

      get "/orders" do
        sell([1])
      end

      class << self
        def open = new
      end

      def cold
        hidden
      end
    end
    shop = Shop.open
    3.times { shop.sell([2]) }
  RUBY

  # The numbers of the lines of a file that has these functions: [label, start_line, lines].
  def shown(*functions, text: SHOP, path: "shop.rb")
    in_directory do |directory|
      file = File.join(directory, path)
      File.write(file, text)
      Rperf::Page::Sources.new([[file, functions]]).to_a.dig(0, 2).map(&:first)
    end
  end

  def test_a_method_comes_with_its_comment_and_without_its_neighbours
    assert_equal [*6..12], shown(["Shop#sell", 8, [10]])
    assert_equal [*6..12], shown(["block in Shop#sell", 9, [10]])
    assert_equal [14], shown(["Shop#hide", 14, [14]])
    assert_equal [21], shown(["Shop.open", 21, []])
    assert_equal [*6..12, 14], shown(["Shop#sell", 8, [10]], ["Shop#hide", 14, [14]])
  end

  def test_code_outside_of_methods_comes_without_them
    assert_equal [1, 28], shown(["<main>", 1, [28]])
    assert_equal [28, 29], shown(["<main>", 0, [28]], ["block in <main>", 29, [29]])
    assert_equal [2, 3, 4, 5, 13, 15, 19], shown(["<class:Shop>", 3, [8]]), "it was defining `sell`, but has none of its lines"
    assert_equal [20, 22], shown(["singleton class", 20, [21]])
    assert_equal [16, 17, 18], shown(["block in <class:Shop>", 16, [17]])
  end

  def test_lines_that_moved_show_no_other_method
    assert_equal [], shown(["Shop#cold", 8, [10]])
    assert_equal [], shown(["Shop#sell", 400, [500]])
  end

  def test_of_other_languages_a_function_has_the_lines_up_to_its_last_one
    text = "x\n" * 100
    assert_equal [*40..45, *61..63], shown(["f", 40, [45, 41]], ["g", 0, [63, 61]], text:, path: "a.c")
    assert_equal [*40..52, *68..80], shown(["f", 40, [80]], text:, path: "a.c")
    assert_equal [2], shown(["a", 2, [2]], text: "def a = (\nend\nclass", path: "broken.rb")
  end
end
