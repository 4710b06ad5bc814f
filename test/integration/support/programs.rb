# frozen_string_literal: true

require "net/http"
require_relative "../../support/program"

# Programs with real libraries: servers that are asked over HTTP, and what their profiles say.
module IntegrationPrograms
  include ProgramSupport

  # Work that a profile cannot miss: waiting is measured, and needs no tick, so that a busy machine
  # changes nothing.
  WORK = "def work(seconds = 0.05) = sleep(seconds)\n"

  # A server that is there, at a port of its own choice.
  class Server
    def initialize(program, port)
      @program = program
      @port = port
    end

    attr_reader :program

    # The text of the answer. Fails for another status than 200, unless it is named.
    def get(path, status: 200)
      response = Net::HTTP.get_response("127.0.0.1", path, @port)
      raise "#{path}: #{response.code}\n#{response.body}\n#{@program.err}" unless response.code.to_i == status
      response.body
    end
  end

  # Runs a program that writes a line with "127.0.0.1:PORT" when it serves; yields it as a Server.
  # Ends it by the signal and returns its Result.
  def serve(*words, directory:, env: {}, stop: :TERM)
    program = start(*words, directory:, env:)
    program.await_output("127.0.0.1:")
    program.await_output("\n")
    yield Server.new(program, program.out[/127\.0\.0\.1:(\d+)/, 1].to_i)
    program.signal(stop)
    program.finish
  ensure
    end_by_force(program)
  end

  # Starts a program that finds rperf and the gems.
  def start(*words, directory:, env: {}) = launch(*words, directory:, env: GEMS_AND_RPERF.merge(env))

  # Runs a Ruby program to its end; fails when it fails.
  def ruby(*words, directory:, env: {})
    result = start(RUBY, *words, directory:, env:).finish
    assert_equal 0, result.code, result.inspect
    result
  end

  LIB = Paths::LIB
  # (Puma's dependency without its C code: see script/setup/puma.sh.)
  GEMS_AND_RPERF = {"RUBYLIB" => LIB, "NIO4R_PURE" => "true"}.freeze

  # The words that start Puma.
  def puma(*words) = [RUBY, "-r#{PUMA_IN_TURN}", Gem.bin_path("puma", "puma"), "--bind", "tcp://127.0.0.1:0", *words]

  PUMA_IN_TURN = File.join(__dir__, "puma_in_turn")

  # The time that a profile (or several, together) gives to each value of a label:
  # {"GET /a" => nanoseconds}.
  def weights(key, *paths)
    paths.each_with_object(Hash.new(0)) do |path, sums|
      data = Rperf.load(path)
      sets = data.fetch(:label_sets, [])
      data[:samples].each { |sample| sums[sets.dig(sample[3], key)] += sample[1] }
    end
  end

  # Fails unless each of these values has at least so many nanoseconds, but for a tenth: a sleep may
  # end early.
  def assert_weights(expected, weights)
    expected.each { |value, ns| assert_operator weights[value], :>=, ns * 0.9, "#{value} in #{weights}" }
  end

  private

  # Nothing that a failed test started outlives it.
  def end_by_force(program)
    return unless program
    program.signal(:KILL)
  rescue Errno::ESRCH
    nil # It has ended, as it should.
  end
end
