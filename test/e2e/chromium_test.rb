# frozen_string_literal: true

require "net/http"
require_relative "../support/program"

# What is served, in a real browser: the headers let the page run and nothing else.
class ChromiumTest < Minitest::Test
  include ProgramSupport

  PROFILE = File.join(ROOT, "test", "golden", "fib.pb")
  CHROMIUM = ENV["RPERF_CHROMIUM"] || %w[chromium chromium-browser].find { |name| system(name, "--version", out: File::NULL, err: File::NULL) }
  # Made by the page's script.
  DRAWN = "class=\"masthead\""

  SERVER = <<~'RUBY'
    require "rackup"
    require "rackup/handler/webrick"
    require "rperf"
    require "rperf/viewer"

    # Sends a form to the viewer as soon as it is shown; the query names the host.
    FORM = lambda do |env|
      page = "<form method=post action='http://#{env["QUERY_STRING"]}/rperf/snapshots'><input name=title value=sent></form>" \
             "<script>document.forms[0].submit()</script>"
      [200, {"content-type" => "text/html"}, [page]]
    end
    Rperf.start(mode: :wall)
    app = Rack::Builder.new { map("/rperf") { run Rperf::Viewer.new }; run FORM }.to_app
    Rackup::Handler::WEBrick.run(app, Host: "127.0.0.1", Port: 0, Logger: WEBrick::Log.new(File::NULL), AccessLog: []) do |server|
      server.config[:StartCallback] = -> { puts "port #{server.listeners.first.addr[1]}."; $stdout.flush }
      trap("TERM") { server.shutdown }
    end
  RUBY

  # The document as it is when its scripts have run.
  def document(address, directory)
    options = %W[--headless --no-sandbox --disable-gpu --user-data-dir=#{directory}/browser --virtual-time-budget=5000 --dump-dom]
    result = run_program(CHROMIUM, *options, address, directory:)
    assert_equal 0, result.code, result.inspect
    result.out
  end

  def test_the_page_of_report
    in_directory do |directory|
      running = launch_rperf("report", "--no-browser", PROFILE, directory:)
      running.await_output("/\n")
      page = document(running.out.chomp, directory)
      assert_includes page, DRAWN
      assert_includes page, "<h1>#{PROFILE}</h1>"
      running.signal("INT")
      assert_equal 0, running.finish.code
    end
  end

  def serving_viewer(directory)
    write_file(directory, "server.rb", SERVER)
    running = launch(RUBY, "-I#{Paths::LIB}", "server.rb", directory:, env: {"RACK_ENV" => "development"})
    running.await_output(".\n")
    yield running.out[/\d+/]
    running.signal("TERM")
    assert_equal 0, running.finish.code
  end

  def test_the_viewer
    in_directory do |directory|
      serving_viewer(directory) do |port|
        sent = document("http://127.0.0.1:#{port}/?127.0.0.1:#{port}", directory)
        assert_includes sent, "<a href=\"/rperf/snapshots/1\">sent</a>"
        refused = document("http://localhost:#{port}/?127.0.0.1:#{port}", directory)
        assert_includes refused, "this request comes from a page of another site"
        page = document("http://127.0.0.1:#{port}/rperf/snapshots/1", directory)
        assert_includes page, DRAWN
        assert_includes page, "<h1>sent</h1>"
      end
    end
  end
end
