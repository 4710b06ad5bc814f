# frozen_string_literal: true

# Profiles a Ruby program from its start to its end, as the environment says (RPERF_*). The CLI
# loads it into programs with RUBYOPT=-rrperf/autostart, whatever Ruby they run: Ruby 1.9 must be
# able to parse this file, and it must not raise.

# Words other than those for false go on to Rperf::Options, which knows the words for true.
unless ENV["RPERF_ENABLED"].to_s =~ /\A(0|false|no|off|)\z/i || defined?(Rperf::AUTOSTARTED)
  module Rperf
    AUTOSTARTED = true
  end

  begin
    message =
      if RUBY_ENGINE != "ruby"
        "it is run by #{RUBY_ENGINE}, and rperf needs CRuby (MRI) 3.4 or later"
      elsif RUBY_VERSION =~ /\A(?:[0-2]|3\.[0-3])\./
        "it is run by Ruby #{RUBY_VERSION}, and rperf needs Ruby 3.4 or later"
      elsif ENV["RPERF_RUBY_ABI"] && ENV["RPERF_RUBY_ABI"] != "#{RUBY_VERSION[/\A\d+\.\d+/]} #{RUBY_PLATFORM}"
        "it is run by Ruby #{RUBY_VERSION} (#{RUBY_PLATFORM}), and this rperf was built for Ruby #{ENV["RPERF_RUBY_ABI"]}"
      end

    if message
      # One sentence for a whole tree of processes: the process that makes the file prints it.
      first = true
      if ENV["RPERF_SESSION_DIR"]
        begin
          File.open(File.join(ENV["RPERF_SESSION_DIR"], "unsupported"), File::WRONLY | File::CREAT | File::EXCL) { |file| file.write(message) }
        rescue SystemCallError
          first = false
        end
      end
      $stderr.puts "rperf: the program runs unprofiled: #{message}" if first
    else
      require_relative "beginning"
      unless defined?(Rperf::BEGUN)
        require_relative "profiled_process"
        Rperf::ProfiledProcess.begin
      end
    end
  rescue ScriptError, StandardError => error
    begin
      $stderr.puts "rperf: the program runs unprofiled: #{error.message.lines("\n").first.to_s.chomp("\n")}"
    rescue StandardError
      nil # Not even stderr is there: the program goes on.
    end
  end
end
