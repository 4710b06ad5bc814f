# frozen_string_literal: true

# The program of bench/fleet's blame: five threads like those of a server. For the number of seconds
# in the argument they compute in Ruby and in C, make garbage, read and wait, in turn.

finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + Float(ARGV.fetch(0))
NUMBER = 7**20_000

def ruby = 20_000.times { |number| number ^ 1 }
def native = NUMBER.pow(3)
def garbage = 5_000.times.map(&:to_s)
def read = File.open("/dev/zero") { |file| 20.times { file.sysread(4096) } }
def rest = sleep(0.002)

STEPS = %i[ruby native garbage read rest].freeze
threads = Array.new(5) do |number|
  Thread.new do
    STEPS.rotate(number).each { |step| send(step) } while Process.clock_gettime(Process::CLOCK_MONOTONIC) < finish
  end
end
threads.each(&:join)
