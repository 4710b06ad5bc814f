# frozen_string_literal: true

# Profiles a Ruby program from its start to its end, as the environment says (RPERF_*). The CLI loads it
# into programs with RUBYOPT=-rrperf/autostart, whatever Ruby they run: this file must be understood by
# Ruby 1.9 and must not raise.

# What is no word for false goes on to Rperf::Options, which knows those for true.
unless ENV["RPERF_ENABLED"].to_s =~ /\A(0|false|no|off|)\z/i || defined?(Rperf::AUTOSTARTED)
  module Rperf
    AUTOSTARTED = true
  end

  begin
    rperf_number = RUBY_VERSION.split(".").map { |part| part.to_i }
    rperf_problem =
      if RUBY_ENGINE != "ruby"
        "it is run by #{RUBY_ENGINE}, and rperf needs CRuby (MRI) 3.4 or later"
      elsif (rperf_number <=> [3, 4]) < 0
        "it is run by Ruby #{RUBY_VERSION}, and rperf needs Ruby 3.4 or later"
      elsif ENV["RPERF_RUBY_ABI"] && ENV["RPERF_RUBY_ABI"] != "#{rperf_number.first(2).join(".")} #{RUBY_PLATFORM}"
        "it is run by Ruby #{RUBY_VERSION} (#{RUBY_PLATFORM}), and this rperf was built for Ruby #{ENV["RPERF_RUBY_ABI"]}"
      end

    if rperf_problem
      # One sentence for a whole tree of processes: the first to make the file speaks.
      rperf_first = true
      if ENV["RPERF_SESSION_DIR"]
        begin
          File.open(File.join(ENV["RPERF_SESSION_DIR"], "unsupported"), File::WRONLY | File::CREAT | File::EXCL) { |file| file.write(rperf_problem) }
        rescue SystemCallError
          rperf_first = false
        end
      end
      $stderr.puts "rperf: the program runs unprofiled: #{rperf_problem}" if rperf_first
    else
      require_relative "profiled_process"
      Rperf::ProfiledProcess.begin
    end
  rescue ScriptError, StandardError => error
    begin
      $stderr.puts "rperf: the program runs unprofiled: #{error.message.lines.first.to_s.chomp}"
    rescue StandardError
      nil # Not even stderr is there: the program goes on.
    end
  end
end
