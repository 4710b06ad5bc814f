# frozen_string_literal: true

# Lists the source files that one tick enters. Runs a program under a build of the extension that
# inlines nothing, has perf(1) sample the sampling thread, and lists the files of all instructions
# that it met. docs/internals/development.md has the count.
#   ruby script/tick_files.rb [SECONDS]     (default: 8 for each mode)

require "fileutils"
require "rbconfig"
require "tmpdir"

# Files of the sampling thread's code.
module TickFiles
  ROOT = File.expand_path("..", __dir__)
  RATE = 20_000
  SOURCE = %r{\A#{Regexp.escape(ROOT)}/(ext/rperf(?:-core)?/src/\S+\.rs):[1-9]}
  # A program with one thread that computes in calls and blocks, and is sometimes off the GVL.
  PROGRAM = <<~'RUBY'
    require "rperf"
    work = ->(depth) { depth.zero? ? 200.times { |number| number.to_s } : work.call(depth - 1) }
    till = Process.clock_gettime(Process::CLOCK_MONOTONIC) + Float(ARGV.fetch(1))
    Rperf.start(mode: ARGV.fetch(0).to_sym, frequency: 5_000)
    while Process.clock_gettime(Process::CLOCK_MONOTONIC) < till
      work.call(20)
      sleep 0.001 if rand(50).zero?
    end
    Rperf.stop
  RUBY

  def self.report(seconds)
    Dir.mktmpdir do |directory|
      library = build(directory)
      offsets = %w[cpu wall].flat_map { |mode| offsets(directory, library, mode, seconds) }
      files = source_files(library, offsets.uniq)
      puts files, "#{files.size} files, #{offsets.size} samples"
    end
  end

  # Builds into a directory of its own: the checkout's extension stays.
  def self.build(directory)
    run({ "RUBY" => RbConfig.ruby }, "cargo", "build", "--locked", "--package", "rperf", chdir: ROOT)
    FileUtils.cp_r(File.join(ROOT, "lib"), directory)
    File.join(directory, "lib", "rperf", "rperf.so").tap do |library|
      FileUtils.cp(File.join(ENV.fetch("CARGO_TARGET_DIR", File.join(ROOT, "target")), "debug/librperf.so"), library)
    end
  end

  # Returns the position of the sampling thread in the library, once for each sample.
  def self.offsets(directory, library, mode, seconds)
    data = File.join(directory, "perf.data")
    program = [RbConfig.ruby, "-I#{File.join(directory, "lib")}", "-e", PROGRAM, "--", mode, seconds.to_s]
    run("perf", "record", "--quiet", "-e", "task-clock:u", "-F", RATE.to_s, "-o", data, *program)
    fields = %w[perf script --no-demangle --comms rperf -F ip,sym,symoff,dso -i]
    lines = IO.popen([*fields, data], err: File::NULL, &:readlines)
    addresses = symbols(library)
    lines.filter_map do |line|
      name, offset = line.match(/(\S+)\+(0x\h+) \(#{Regexp.escape(library)}\)/)&.captures
      addresses[name] && format("%#x", addresses[name] + offset.hex)
    end
  end

  # Returns the addresses at which functions begin.
  def self.symbols(library)
    IO.popen(["nm", "--defined-only", library], &:readlines).map(&:split).to_h { |address, _, name| [name, address.hex] }
  end

  def self.source_files(library, offsets)
    places = IO.popen(["addr2line", "-e", library], "r+") do |pipe|
      writer = Thread.new { pipe.puts(offsets); pipe.close_write }
      pipe.readlines.tap { writer.join }
    end
    places.filter_map { |place| place[SOURCE, 1] }.uniq.sort
  end

  def self.run(*command, **options)
    system(*command, exception: true, **options)
  end
end

TickFiles.report(Float(ARGV.fetch(0, "8")))
