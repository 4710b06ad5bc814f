# frozen_string_literal: true

require_relative "support/programs"

# Rperf::Endpoints in an application under Puma.
class EndpointsTest < Minitest::Test
  include IntegrationPrograms

  APP = <<~RUBY
    require "rperf/endpoints"
    def burn = 100.times { Math.sqrt(2.0) }
    Thread.new { loop { burn } }
    map("/rperf") { run Rperf::Endpoints.new(permit: ->(env) { env["HTTP_X_ADMIN"] == "yes" }, wait: ENV["WAIT"] == "1") }
    run ->(_env) { [200, {}, ["app"]] }
  RUBY

  def test_behind_puma
    serving("WAIT" => "1") do |server, uri|
      assert_equal "app", server.get("/")
      assert_equal "Rperf::Endpoints does not permit this request\n", server.get("/rperf/status", status: 403)
      code, profile = ask(uri, "/rperf/debug/pprof/profile?seconds=1&format=text")
      assert_equal ["200", true], [code, profile.include?("burn")]
      assert_equal ["400", "seconds must be a whole number from 1 to 60 (seconds), not 61\n"], ask(uri, "/rperf/debug/pprof/wall?seconds=61")
      assert_equal ["403", "this request comes from a page of another site\n"], ask(uri, "/rperf/start", Net::HTTP::Post, "Origin" => "http://evil.example")
      assert_equal ["200", "404"], [ask(uri, "/rperf/start?mode=alloc", Net::HTTP::Post), ask(uri, "/rperf/nothing")].map(&:first)
      assert_equal ["200", true], ask(uri, "/rperf/debug/pprof/allocs?debug=1").then { |status, text| [status, text.start_with?("Total: ")] }
    end
  end

  def test_no_request_waits_unless_it_may
    serving({}) do |_server, uri|
      assert_equal "400", ask(uri, "/rperf/debug/pprof/profile?seconds=1").first
      assert_equal "409", ask(uri, "/rperf/debug/pprof/heap").first
    end
  end

  def test_neither_permit_nor_token
    in_directory do |directory|
      result = start(RUBY, "-rrperf/endpoints", "-e", "Rperf::Endpoints.new", directory:, env: {"RACK_ENV" => "production"}).finish
      assert_includes result.err, "Rperf::Endpoints needs permit: or token_file: outside of development (ArgumentError)"
    end
  end

  def test_wait_is_true_or_false
    in_directory do |directory|
      result = start(RUBY, "-rrperf/endpoints", "-e", "Rperf::Endpoints.new(wait: 1)", directory:, env: {"RACK_ENV" => "development"}).finish
      assert_includes result.err, "wait: must be true or false, not 1 (ArgumentError)"
    end
  end

  private

  def serving(env)
    in_directory do |directory|
      write_file(directory, "config.ru", APP)
      serve(*puma, directory:, env:) { |server| yield server, URI(server.program.out[%r{http://127\.0\.0\.1:\d+}]) }
    end
  end

  # [status, body]
  def ask(uri, target, kind = Net::HTTP::Get, **headers)
    request = kind.new(target, {"X-Admin" => "yes", "Content-Type" => "text/plain", **headers.transform_keys(&:to_s)})
    response = Net::HTTP.start(uri.host, uri.port, read_timeout: LIMIT) { |http| http.request(request) }
    [response.code, response.body]
  end
end
