# frozen_string_literal: true

require_relative "programs"

# A Redis server of the test's own, which listens at a socket in the test's directory: no port to
# collide at.
module RedisServers
  include IntegrationPrograms

  # Yields the server's address.
  def with_redis(directory)
    socket = File.join(directory, "redis.sock")
    own = File.join(directory, "redis")
    FileUtils.mkdir_p(own)
    words = ["--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no"]
    server = launch("redis-server", *words, directory: own)
    server.await_output("ready to accept connections")
    yield "unix://#{socket}"
    server.signal(:TERM)
    server.finish
  ensure
    end_by_force(server)
  end
end
