# frozen_string_literal: true

require "rack"
require "rack/mock_request"
require "roda"
require_relative "../support/test_helper"
require "rperf/middleware"

# Names of endpoints by Roda's plugin :rperf, in this process.
class RodaNamesTest < Minitest::Test
  def setup = Rperf.start(mode: :wall)

  def teardown
    Rperf.stop
  end

  # What is literal is said by the matcher, not by the text.
  def test_parts_that_equal_a_literal_one
    application = roda do |r|
      r.on("posts", String) do |_slug|
        r.get("comments", :word) { "comment" }
        r.is { "post" }
      end
    end
    assert_equal({"GET /posts/:id" => 2, "GET /posts/:id/comments/:id" => 3},
      units(application, %w[/posts/hello /posts/posts /posts/x/comments/comments /posts/posts/comments/9 /posts/comments/comments/posts]))
  end

  def test_matchers_of_several_segments_and_of_any_number
    application = roda do |r|
      r.is("a/b", Integer, "c") { "words" }
      r.is("d", %r{(\d+)/(\d+)}) { "numbers" }
      r.get(%w[e f], String) { "choice" }
    end
    assert_equal({"GET /a/b/:id/c" => 1, "GET /d/:id/:id" => 1, "GET /e/:id" => 1, "GET /f/:id" => 1},
      units(application, %w[/a/b/1/c /d/1/2 /e/x /f/x]))
  end

  private

  def roda(&block)
    Class.new(Roda) do
      plugin :rperf
      route(&block)
    end.freeze.app
  end

  # {name => units}
  def units(application, paths)
    middleware = Rperf::Middleware.new(application)
    paths.each { |path| assert_equal 200, middleware.call(Rack::MockRequest.env_for(path)).first, path }
    Rperf.stop[:ledger].to_h { |row| row.values_at(:name, :units) }
  end
end
