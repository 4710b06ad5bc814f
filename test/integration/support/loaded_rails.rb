# frozen_string_literal: true

require_relative "programs"

# A process that has loaded Rails and not rperf, and runs programs as its forks: to load Rails takes
# most of the time in which an application starts.
class LoadedRails
  # What IntegrationPrograms asks of the status of a program.
  Status = Struct.new(:exitstatus, :termsig)

  # Reads a directory, an environment and code from each line, and answers with the status. (The
  # code sees none of these variables.)
  LOADER = <<~'RUBY'
    require "rails"
    require "action_controller/railtie"
    require "active_job/railtie"
    -> do
      while (line = $stdin.gets)
        directory, env, code = Marshal.load(line.chomp.unpack1("m0"))
        child = fork do
          ENV.update(env)
          Dir.chdir(directory)
          $stdin.reopen(File::NULL)
          $stdout.reopen(".stdout", "w")
          $stderr.reopen(".stderr", "w")
          eval(code, TOPLEVEL_BINDING, "-e")
        end
        status = Process.wait2(child).last
        $stdout.syswrite("#{status.exitstatus.inspect} #{status.termsig.inspect}\n")
      end
    end.call
  RUBY

  # The one of this process, which ends with it.
  #
  # env: the environment of its programs, but for what each changes
  def self.instance(env) = @instance ||= new(env)

  def initialize(env) = @loader = IO.popen(env, [Paths::RUBY, "-e", LOADER], "r+")

  # Runs the code to its end. Returns its ProgramSupport::Result.
  def run(code, directory:, env:)
    @loader.puts([Marshal.dump([directory, env, code])].pack("m0"))
    raise "the program did not end: #{code}" unless @loader.wait_readable(ProgramSupport::LIMIT)
    status = Status.new(*@loader.gets.split.map { |number| Integer(number, exception: false) })
    out, err = %w[.stdout .stderr].map { |name| File.binread(File.join(directory, name)).force_encoding("UTF-8") }
    ProgramSupport::Result.new(status:, out:, err:)
  end
end
