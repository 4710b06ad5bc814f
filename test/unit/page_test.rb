# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/page"
require "rperf/profile_file"

# The page as a file: what is in it, and that nothing of a profile can be more than data.
class PageTest < Minitest::Test
  HOSTILE = "</script><script>alert(1)</script><!-- \u2028 {{script}} & \"'"

  def test_it_is_one_html_file_with_the_profile_in_it
    html = Rperf::Page.new(profile(data), title: "some.data").html

    assert_equal Encoding::UTF_8, html.encoding
    assert_predicate html, :valid_encoding?
    assert html.start_with?("<!doctype html>")
    assert_includes html, "<title>some.data · rperf</title>"
    assert_equal ["a", "a.rb", "b"], document(html)["strings"].first(3).sort
  end

  def test_it_names_no_other_place
    html = Rperf::Page.new(profile(data)).html

    assert_empty html.scan(%r{(?:https?:)?//[\w.-]+\.\w+})
    assert_empty html.scan(/<(?:link|img|iframe|object|embed|form)\b/)
  end

  def test_only_its_own_script_and_style_may_be_used
    html = Rperf::Page.new(profile(data)).html
    policy = html[/Content-Security-Policy" content="(.*?)"/, 1]

    assert policy.start_with?("default-src 'none'; ")
    { "script-src" => %r{<script>(.*?)</script>}m, "style-src" => %r{<style>(.*?)</style>}m }.each do |directive, element|
      hash = [Digest::SHA256.digest(html[element, 1])].pack("m0")
      assert_includes policy, "#{directive} 'sha256-#{hash}'"
    end
  end

  def test_only_a_page_that_stays_here_knows_full_paths
    frames = ["/srv/app/a.rb", "/srv/app/lib/b.rb"].map { |path| Rperf::Frame.new(path, "f", 1) }
    recorded = profile(data.merge(aggregated_samples: [sample(frames)]))
    local = Rperf::Page::Local.new(editor: "vscode://file{path}:{line}")

    html = Rperf::Page.new(recorded, local:).html
    assert_equal({ "a.rb" => "/srv/app/a.rb", "lib/b.rb" => "/srv/app/lib/b.rb" }, document(html).dig("local", "files"))
    html = Rperf::Page.new(recorded).html
    refute_includes html, "/srv/app"
    assert_nil document(html)["local"]
    assert_includes document(html)["sources"].map { |source| source["path"] }, "lib/b.rb"
  end

  def test_names_stay_data
    hostile = data.merge(aggregated_samples: [sample([Rperf::Frame.new(HOSTILE, HOSTILE, 1)])], label_sets: [{}, { HOSTILE => HOSTILE }])
    html = Rperf::Page.new(profile(hostile), title: HOSTILE).html

    assert_equal 2, html.scan(/<script/).length
    assert_equal 2, html.scan("</script").length
    assert_empty html.scan("<!--")
    assert_includes document(html)["strings"], HOSTILE
    assert_equal HOSTILE, document(html)["title"]
  end

  def test_a_comparison_has_both_sides
    html = Rperf::Page.new(profile(data), base: profile(data), normalise: true).html
    shown = document(html)

    assert_equal shown["target"]["samples"], shown["base"]["samples"]
    assert shown["normalise"]
  end

  def test_profiles_that_measure_different_things_cannot_be_compared
    wall = profile(data.merge(mode: :wall))
    error = assert_raises(Rperf::Error) { Rperf::Page.new(profile(data), base: wall).html }

    assert_match(/measure different things, wall .* and cpu/, error.message)
    hostile = profile(data.merge(value_type: ["\e[2Jrows", "count"], mode: :custom))
    error = assert_raises(Rperf::Error) { Rperf::Page.new(profile(data), base: hostile).html }
    assert_includes error.message, "\u{fffd}[2Jrows (count)"
  end

  def test_a_title_that_is_no_utf8_is_shown_as_far_as_possible
    assert_includes Rperf::Page.new(profile(data), title: "a\xFF".b).html, "<title>a"
  end

  private

  def sample(frames) = Rperf::Sample.new(frames, 5_000_000, 1, 0, 5)

  def data
    { mode: :cpu, aggregated_samples: [sample([Rperf::Frame.new("a.rb", "a", 1), Rperf::Frame.new("a.rb", "b", 2)])], label_sets: [{}] }
  end

  def profile(data)
    in_directory do |directory|
      path = File.join(directory, "profile.json")
      Rperf.save(path, data)
      Rperf::ProfileFile.new(path).profile
    end
  end

  def document(html)
    require "json"
    JSON.parse(html[%r{id="data">(.*?)</script>}m, 1])
  end
end
