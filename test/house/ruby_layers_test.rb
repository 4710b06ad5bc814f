# frozen_string_literal: true

require "minitest/autorun"
require_relative "../support/paths"
require_relative "ruby_docs"
require_relative "ruby_layers"

# The rules of lib/ and exe/, on the files and on snippets that break them.
class RubyLayersTest < Minitest::Test
  def test_files_keep_their_layers
    assert_kept ruby_files.flat_map { |file| RubyLayers.new.violations(file, File.read(Paths.of(file))) }
  end

  def test_public_methods_are_documented
    assert_kept ruby_files.flat_map { |file| RubyDocs.new.violations(file, File.read(Paths.of(file))) }
  end

  def test_files_freeze_their_strings
    bare = ruby_files.reject { |file| File.read(Paths.of(file)).match?(/\A(?:#!.*\n)?# frozen_string_literal: true\n/) }

    assert_empty bare
  end

  def test_the_command_line_reaches_the_extension_only_through_the_facade
    assert_equal ["lib/rperf/cli/record.rb: a file of the layer cli may not load rperf/native (native)"],
                 layers("lib/rperf/cli/record.rb", 'require "rperf/native"')
    assert_equal ["lib/rperf/cli/record.rb: a file of the layer cli may not name Native"],
                 layers("lib/rperf/cli/record.rb", "Rperf::Native.merge([])")
  end

  def test_integrations_know_the_facade_only
    assert_empty layers("lib/rperf/sidekiq.rb", 'require "rperf"; require_relative "../rperf"; require "sidekiq"')
    assert_equal 1, layers("lib/rperf/sidekiq.rb", 'require_relative "options"').size
    assert_equal 1, layers("lib/rperf/middleware.rb", "Native.start").size
    assert_equal 1, layers("lib/rperf/middleware/endpoint_names.rb", 'require_relative "../profiled_process"').size
  end

  def test_the_railtie_may_begin_a_session_but_not_go_below
    assert_empty layers("lib/rperf/railtie.rb", 'require_relative "facade"; require_relative "profiled_process"; require_relative "sidekiq"')
    assert_equal 2, layers("lib/rperf/railtie/settings.rb", 'require_relative "../native"; Native.start').size
  end

  def test_the_server_of_the_page_knows_no_profiles
    assert_empty layers("lib/rperf/web/page_server.rb", 'require "socket"; require_relative "limits"; require_relative "../errors"')
    assert_equal 1, layers("lib/rperf/web/page_server.rb", "Native::Profile.read(bytes)").size
    assert_equal 1, layers("lib/rperf/web/page_server.rb", 'require_relative "../cli/browser"').size
  end

  def test_the_facade_does_not_know_the_command_line
    assert_equal 1, layers("lib/rperf.rb", 'autoload :CLI, "rperf/cli"').size
    assert_equal 1, layers("lib/rperf/options.rb", 'require_relative "cli/flags"').size
    assert_empty layers("lib/rperf.rb", 'autoload :Middleware, "rperf/middleware"; require_relative "rperf/native"')
  end

  def test_only_native_loads_the_extension
    assert_empty layers("lib/rperf/native.rb", 'require "rperf/rperf.so"')
    assert_equal 1, layers("lib/rperf.rb", 'require "rperf/rperf.so"').size
    assert_equal 1, layers("exe/rperf", 'require "rperf"').size
  end

  def test_a_bare_public_method_is_found
    assert_equal ["x.rb:1: the public method a has no comment"], docs("def a = 1")
    assert_equal ["x.rb:3: the public method a has no comment"], docs("# about\nclass A\n  def self.a = 1\nend")
    assert_equal 1, docs("class A\n  class << self\n    def a = 1\n  end\nend").size
    assert_equal 1, docs("A = Struct.new(:b) do\n  def a = 1\nend").size
    assert_equal 1, docs("class A\n  private\n  def a = 1\n  public\n  def b = 1\nend").size
    assert_equal 1, docs("class A\n  private\n  def self.a = 1\nend").size
  end

  def test_documented_or_hidden_methods_are_fine
    assert_empty docs("# says so\ndef a = 1")
    assert_empty docs("class A\n  def initialize = 1\n  private\n  def a = 1\nend")
    assert_empty docs("class A\n  private def a = 1\n  def b = 1\n  private :b\nend")
    assert_empty docs("class A\n  def self.a = 1\n  private_class_method :a\nend")
    assert_empty docs("class A\n  class B\n    def a = 1\n  end\n  private_constant :B\nend")
  end

  private

  # One sentence a line.
  def assert_kept(violations) = assert_empty(violations, violations.join("\n"))

  def ruby_files
    files = Paths.tracked("lib/*.rb", "exe/*")
    refute_empty files
    files
  end

  def layers(file, text) = RubyLayers.new.violations(file, text)

  def docs(text) = RubyDocs.new.violations("x.rb", text)
end
