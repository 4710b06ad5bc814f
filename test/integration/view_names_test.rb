# frozen_string_literal: true

require "json"
require_relative "../support/program"

# Action View gives the method of a template another name in every process: in profiles it is one.
class ViewNamesTest < Minitest::Test
  include ProgramSupport

  # Starts two processes, each of which renders the template.
  PROGRAM = <<~'RUBY'
    if ARGV.empty?
      2.times { system(RbConfig.ruby, __FILE__, "renders", exception: true) }
    else
      %w[logger uri active_support action_view].each { |library| require library }
      lookup = ActionView::LookupContext.new([File.join(__dir__, "views")])
      view = ActionView::Base.with_empty_template_cache.new(lookup, {}, nil)
      view.render(template: "posts/show")
    end
  RUBY
  TEMPLATE = "<%= 3_000_000.times.sum { |number| number ^ 3 } %>"
  METHOD = /_posts_show_html_erb\z/

  def test_processes_merge
    in_directory do |directory|
      write_file(directory, "program.rb", PROGRAM)
      write_file(directory, "views/posts/show.html.erb", TEMPLATE)
      result = rperf("record", "-o", "p.json", "ruby", "program.rb", directory:)
      assert_equal 0, result.code, result.inspect
      functions = JSON.parse(File.read(File.join(directory, "p.json")))["functions"]
      methods = functions.select { |function| function["label"].match?(METHOD) && !function["label"].start_with?("block") }
      assert_equal 1, methods.length, functions.inspect
      assert_match(/\A#<Class:0x\h+>#\w+_posts_show_html_erb__+\d+_\d+\z/, methods.first["raw_label"])
      assert_match(/\A#<Class>#\w+_posts_show_html_erb\z/, methods.first["label"])
    end
  end
end
