# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"
require "rubygems/package"
require "tmpdir"

module Native
  # Tries a gem's library with a Ruby of its platform, in one process: QEMU starts no other. The gem
  # is unpacked and not installed: RubyGems reads gems with zlib, which that Ruby may not have.
  class Trial
    # Program that records itself, and prints the engine and the share of Object#spin.
    PROGRAM = <<~'RUBY'
      require "rperf"
      def now = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      def spin(till = now + 0.5) = (nil while now < till)
      data = Rperf.start(mode: :cpu, output: "profile.pb.gz") { spin }
      read = Rperf.load("profile.pb.gz")
      share = read[:samples].sum { |frames, weight| frames.any? { |_, label| label == "Object#spin" } ? weight : 0 }.fdiv(read[:samples].sum { |sample| sample[1] })
      puts "#{data[:engine]}: #{(share * 100).floor} % in Object#spin"
    RUBY
    # Minimum share of Object#spin, in per cent.
    ENOUGH = 80
    # The same where QEMU runs the program. Copies of stacks take too long there, so callers are cut
    # off in a fifth of the stacks with musl, and in two thirds beside four busy processes.
    ENOUGH_EMULATED = 20

    # @param gem [String] the path of a gem
    # @param platform [Platform] the gem's, with a Ruby that runs here
    def initialize(gem, platform)
      @gem = gem
      @ruby = platform.ruby
      @enough = platform.name.start_with?(RbConfig::CONFIG["host_cpu"]) ? ENOUGH : ENOUGH_EMULATED
    end

    # @return [Array<String>] the engines that sampled: the one that the library chooses, and the
    #   one without a proved layout of the VM
    def engines
      Dir.mktmpdir do |directory|
        Gem::Package.new(@gem).extract_files(directory)
        File.write(File.join(directory, "program.rb"), PROGRAM)
        [nil, "fail"].map { |proof| engine(directory, proof) }
      end
    end

    private

    def engine(directory, proof)
      environment = { "RUBYLIB" => nil, "RUBYOPT" => nil, "GEM_PATH" => nil, "RPERF_LAYOUT_PROOF" => proof }
      text, status = Open3.capture2e(environment, @ruby, "--disable-gems", "-Ilib", "program.rb", chdir: directory)
      name, share = text.match(/\A(\w+): (\d+) % in Object#spin\n\z/)&.captures
      raise Error, "the program failed: #{text}" unless status.success? && share.to_i >= @enough
      name
    end
  end
end
