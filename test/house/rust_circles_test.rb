# frozen_string_literal: true

require "minitest/autorun"
require_relative "../support/paths"
require_relative "rust_circles"

# No two modules of a crate know each other, directly or by way of others.
class RustCirclesTest < Minitest::Test
  %w[rperf-core rperf].each do |crate|
    define_method("test_#{crate.tr("-", "_")}_has_no_circle") do
      directory = "ext/#{crate}/src/"
      files = Paths.tracked("#{directory}*.rs")
      refute_empty files
      circles = circles(files.to_h { |file| [file.delete_prefix(directory), File.read(Paths.of(file))] })

      assert_empty circles, circles.join("\n")
    end
  end

  def test_a_circle_of_siblings_is_found
    sources = { "lib.rs" => "mod a; mod b;", "a.rs" => "use crate::b::{X, Y};", "b.rs" => "fn f() -> super::a::Z {}" }

    assert_equal ["{a, b}: a names b (b); b names a (a)"], circles(sources)
    assert_empty circles(sources.merge("b.rs" => "// super::a::Z"))
  end

  def test_a_way_round_is_found_below_a_module_too
    sources = { "m/mod.rs" => "mod a; mod b; mod c;", "m/a.rs" => "use super::{b, c::{D, E}};", "m/b/mod.rs" => "mod deep;", "m/b/deep.rs" => "use crate::m::c::D;",
                "m/c.rs" => "use super::a::A;" }

    assert_equal ["m::{a, b, c}: m::a names m::b (b); m::a names m::c (c); m::b::deep names m::c (c); m::c names m::a (a)"],
                 circles(sources)
  end

  def test_what_a_parent_hands_on_is_its_childs
    sources = { "m/mod.rs" => "mod a; mod b; pub use a::{A, Other};", "m/a.rs" => "use super::b::B;", "m/b.rs" => "use super::A;" }

    assert_equal ["m::{a, b}: m::a names m::b (b); m::b names m::a (a)"], circles(sources)
  end

  def test_parents_children_and_tests_may_know_each_other
    assert_empty circles("m/mod.rs" => "mod a; use a::A; struct M;", "m/a.rs" => "use super::M;")
    assert_empty circles("a.rs" => "use crate::b::B;", "b.rs" => "#[cfg(test)]\nmod tests { use super::*; use crate::a::A; }")
    assert_empty circles("a.rs" => "use crate::b::B;", "b/mod.rs" => "mod tests;", "b/tests.rs" => "use crate::a::A;")
  end

  private

  def circles(sources) = RustCircles.new(sources).circles
end
