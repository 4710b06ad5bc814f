# frozen_string_literal: true

require_relative "options"

module Rperf
  # The environment that makes every Ruby below a command, or below a program, profile itself.
  #
  # RUBYOPT names the library by its path: a program may set RUBYLIB for its children, and Ruby does
  # not start if a file in RUBYOPT is missing. RUBYOPT has no quotes: if the path has spaces, only
  # RUBYLIB names the directory. Both are put before the user's values: -r libraries load in order,
  # and rperf's at_exit handler must be registered first to run last.
  class ChildEnvironment
    AUTOSTART = "-rrperf/autostart"
    PATH = File.expand_path("autostart", __dir__)

    def initialize(values, directory, env: ENV)
      @values = values
      @directory = directory
      @env = env
    end

    # Returns only the variables that change, for Process.spawn.
    def to_h
      {
        **settings,
        "RPERF_ENABLED" => "1",
        "RPERF_SESSION_DIR" => @directory,
        "RPERF_RUBY_ABI" => "#{RUBY_VERSION[/\A\d+\.\d+/]} #{RUBY_PLATFORM}",
        "RUBYOPT" => rubyopt,
        "RUBYLIB" => rubylib
      }
    end

    private

    # Returns all settings, so that none of an outer rperf remain; nil removes the variable.
    def settings
      Options::TABLE.values.select(&:env).to_h do |setting|
        value = @values[setting.name] if setting.native || setting.name == :inherit
        [setting.env, text(value)]
      end.merge("RPERF_FIRST_PID" => nil, "RPERF_GC_STAT" => nil)
    end

    def text(value)
      case value
      when nil then nil
      when true then "1"
      when false then "0"
      when Array then value.join(",")
      else value.to_s
      end
    end

    def rubyopt
      words = @env.fetch("RUBYOPT", "").split(" ")
      by_path = "-r#{PATH}"
      [PATH.match?(/\s/) ? AUTOSTART : by_path, *words - [AUTOSTART, by_path]].join(" ")
    end

    def rubylib
      paths = @env.fetch("RUBYLIB", "").split(File::PATH_SEPARATOR)
      (library_paths + paths).uniq.join(File::PATH_SEPARATOR)
    end

    # Returns the directories of the Ruby files, and of the native part if it lies elsewhere.
    def library_paths
      native = $LOADED_FEATURES.find { |feature| feature.match?(%r{/rperf/rperf\.(so|bundle)\z}) }
      [File.expand_path("..", __dir__), (File.expand_path("../..", native) if native)].compact.uniq
    end
  end
end
