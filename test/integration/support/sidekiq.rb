# frozen_string_literal: true

require_relative "redis"

# Sidekiq processes.
module SidekiqProcesses
  include RedisServers

  # Sidekiq's specification asks for a newer json than Ruby's own: its files are found without
  # RubyGems.
  LIBRARIES = %w[sidekiq redis-client connection_pool rack].freeze

  # Runs Sidekiq while the block waits for its work; then TERM must end it well.
  def run_sidekiq(*words, directory:, env:)
    sidekiq = start(RUBY, File.join(home("sidekiq"), "bin", "sidekiq"), *words, directory:, env:)
    yield
    sidekiq.signal(:TERM)
    result = sidekiq.finish
    assert_equal 0, result.code, result.inspect
  ensure
    end_by_force(sidekiq)
  end

  # For Sidekiq and those who give it work.
  def sidekiq_environment(address)
    {"REDIS_ADDRESS" => address, "RUBYLIB" => [LIB, *LIBRARIES.map { |name| File.join(home(name), "lib") }].join(":")}
  end

  private

  def home(name) = Gem::Specification.find_by_name(name).full_gem_path
end
