# frozen_string_literal: true

require "minitest/autorun"
require "rubygems"
require_relative "../support/paths"

# The gem and the profiles that it writes name the same page.
class ProjectPageTest < Minitest::Test
  def test_profiles_name_the_gems_page
    homepage = Gem::Specification.load(Paths.of("rperf.gemspec")).homepage
    source = File.read(Paths.of("ext/rperf-core/src/format/mod.rs"))
    assert_equal homepage, source[/DOC_URL: &str = "([^"]+)"/, 1]
  end
end
