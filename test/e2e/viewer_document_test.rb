# frozen_string_literal: true

require_relative "../support/documents"
require_relative "../support/program"

# The files of an application that docs/viewer.md shows: a config.ru with the viewer below /rperf,
# and a snapshot every minute.
class ViewerDocumentTest < Minitest::Test
  include ProgramSupport

  RACKUP = Documents.file("docs/viewer.md", "config.ru")
  EVERY_MINUTE = Documents.file("docs/viewer.md", "config/initializers/profiles.rb")
  # What the documents take for granted: the application, and sessions of a browser.
  PRELUDE = <<~'RUBY'
    require "rack"
    require "rack/mock_request"

    MyApp = ->(_env) { [200, {"content-type" => "text/plain"}, ["of the application"]] }
    BROWSER = Rack::MockRequest.new(Rack::Builder.parse_file("config.ru"))
    ADMIN = {"rack.session" => {"admin" => true}}.freeze
  RUBY

  def test_the_application_and_the_viewer
    assert_equal ["of the application", "403", "403", "303", "true"], answers(<<~'RUBY')
      puts BROWSER.get("/somewhere").body
      puts BROWSER.get("/rperf", "rack.session" => {}).status
      puts BROWSER.post("/rperf/snapshots", "rack.session" => {}).status
      puts BROWSER.post("/rperf/snapshots", ADMIN).status
      puts BROWSER.get("/rperf", ADMIN).body.include?(%(href="/rperf/snapshots/1"))
    RUBY
  end

  # A minute is shorter here.
  def test_a_snapshot_every_minute
    assert_includes EVERY_MINUTE, "sleep 60\n"
    assert_equal ["snapshots"], answers(<<~RUBY)
      #{EVERY_MINUTE.sub("sleep 60", "sleep 0.02")}
      Thread.pass until BROWSER.get("/rperf", ADMIN).body.include?("/rperf/snapshots/2")
      puts "snapshots"
    RUBY
  end

  private

  # The lines that a program prints which has loaded config.ru.
  def answers(code)
    in_directory do |directory|
      write_file(directory, "config.ru", RACKUP)
      program = write_file(directory, "program.rb", PRELUDE + code)
      result = run_program(RUBY, "-I#{Paths::LIB}", program, directory:)
      assert_equal [0, ""], [result.code, result.err], result.inspect
      result.out.lines(chomp: true)
    end
  end
end
