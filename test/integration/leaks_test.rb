# frozen_string_literal: true

require "json"
require_relative "support/rails_app"

# A Rails application under Puma that leaks in one of its actions: what requests have left behind.
class LeaksInRequestsTest < Minitest::Test
  include RailsApps

  LEAKING = <<~RUBY
    class UsersController < ActionController::Base
      @seen = []
      class << self
        attr_reader :seen
      end

      def index = render(plain: Array.new(200) { |number| "row \#{number} " * 20 }.join)

      def show
        50.times { self.class.seen << "user \#{params[:name]} " * 20 }
        render plain: "ok"
      end
    end
  RUBY
  INITIALIZER = <<~RUBY
    require "rperf/middleware"
    Rails.application.config.middleware.use Rperf::Middleware
    Rails.application.config.after_initialize { Rperf.start(mode: :heap, interval: 5, output: "tmp/heap.pb.gz") }
    at_exit { Rperf.stop }
  RUBY
  ENDPOINT = "GET /api/users/:name UsersController#show"
  REQUESTS = 60

  def test_what_requests_have_left_behind
    files = {"app/controllers/users_controller.rb" => LEAKING, "config/initializers/rperf.rb" => INITIALIZER}
    in_rails_app(files) do |directory|
      serve(*puma, directory:, env: rails_environment) do |server|
        REQUESTS.times do |number|
          server.get("/api/users")
          server.get("/api/users/ann#{number}")
        end
      end
      assert_by_endpoint(directory)
      assert_leak(directory)
    end
  end

  private

  def report(*arguments, directory:) = JSON.parse(rperf("report", "--format", "json", *arguments, "tmp/heap.pb.gz", directory:).out)

  # 3000 strings of one action; the other has what Rails loads with the first request.
  def assert_by_endpoint(directory)
    rows = report("--by", "endpoint", "--sample-index", "inuse_objects", directory:).fetch("values").to_h { |row| row.values_at("name", "total") }
    assert_operator rows.fetch(ENDPOINT), :>, REQUESTS * 50 * 0.8
    assert_operator rows.fetch("GET /api/users UsersController#index", 0), :<, rows.fetch(ENDPOINT) / 2
  end

  def assert_leak(directory)
    leak = report("--leaks", "--tagfocus", "endpoint=#show", directory:).fetch("rows").first
    assert_equal %w[String app/controllers/users_controller.rb], [leak["class"], leak["path"].delete_prefix("#{File.realpath(directory)}/")]
    assert_equal LEAKING.lines.index { |line| line.include?("seen <<") } + 1, leak["line"]
    assert_in_delta REQUESTS * 50, leak["inuse_objects"], REQUESTS * 50 * 0.3
  end
end
