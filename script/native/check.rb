# frozen_string_literal: true

require "open3"
require "rbconfig"
require "rubygems/package"
require "tmpdir"
require_relative "platform"
require_relative "trial"

module Native
  # Tries gems as a user would: installs each into a clean GEM_HOME, records a program, and reads
  # the recording. A gem of another platform is tried with a Ruby of that platform.
  class Check
    # Steps that are left to do by hand.
    BY_HAND = <<~TEXT
      By hand:
        * install a gem that was not tried here on a machine of its platform, and record a program with it
        * gem push each file in pkg/ that ends in .gem
        * keep the .debug files with the release
        * tag the commit, and open the next section of CHANGELOG.md
    TEXT

    PROGRAM = "def spin = 30_000_000.times { }\nspin\n"

    # @param gems [Array<String>] paths
    # @param largest [Integer, nil] bytes that a gem's files may have; nil: any number
    def initialize(gems, largest: nil)
      @gems = gems
      @largest = largest
    end

    # Prints a line for each gem, and the steps to do by hand.
    #
    # @return [Boolean] whether all gems that can run here work
    def run(output = $stdout)
      works = @gems.map do |path|
        output.puts("#{File.basename(path)}: #{what_it_does(path)}")
        true
      rescue Error => error
        output.puts("#{File.basename(path)}: #{error.message}")
        false
      end
      output.puts("", BY_HAND)
      works.all?
    end

    private

    def what_it_does(path)
      spec = Gem::Package.new(path).spec
      check_size(path) if @largest
      return try(path) if runs_here?(spec)
      platform = Native.platforms.find { |one| one.name == spec.platform.to_s }
      return "built, cannot run here" unless platform&.ruby
      "unpacked, recorded, read with the engines #{Trial.new(path, platform).engines.join(" and ")}"
    end

    def check_size(path)
      bytes = Dir.mktmpdir do |directory|
        Gem::Package.new(path).extract_files(directory)
        Dir[File.join(directory, "**", "*")].sum { |file| File.file?(file) ? File.size(file) : 0 }
      end
      raise Error, "it has #{bytes} bytes unpacked, more than #{@largest}" if bytes > @largest
    end

    def runs_here?(spec) = Gem::Platform.match_spec?(spec) && spec.required_ruby_version.satisfied_by?(Gem.ruby_version)

    # @return [String] what was done
    # @raise [Error] what went wrong
    def try(path)
      Dir.mktmpdir do |directory|
        directory = File.realpath(directory)
        home = File.join(directory, "home")
        File.write(File.join(directory, "spin.rb"), PROGRAM)
        steps(File.absolute_path(path), home).each do |command, expected|
          text, status = Open3.capture2e(environment(home), *command, chdir: directory)
          raise Error, "#{command.join(" ")} failed: #{text}" unless status.success? && text.include?(expected)
        end
        "installed, recorded, read"
      end
    end

    # Commands, and the text that each must print.
    def steps(path, home)
      rperf = [RbConfig.ruby, File.join(home, "bin", "rperf")]
      { [RbConfig.ruby, "-S", "gem", "install", "--local", "--no-document", "--install-dir", home, path] => "1 gem installed",
        [*rperf, "record", "-o", "profile.pb.gz", RbConfig.ruby, "spin.rb"] => "profile.pb.gz",
        [*rperf, "report", "--top", "profile.pb.gz"] => "Object#spin" }
    end

    def environment(home) = { "GEM_HOME" => home, "GEM_PATH" => home, "RUBYLIB" => nil, "RUBYOPT" => nil }
  end
end
