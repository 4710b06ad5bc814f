# frozen_string_literal: true

require_relative "certificates"
require_relative "listening"

# An nginx with a configuration of a test, in front of a server of it.
class Nginx
  include Listening

  PROGRAM = ENV["PATH"].split(":").push("/usr/sbin").map { |directory| File.join(directory, "nginx") }.find { |path| File.executable?(path) }

  attr_reader :port, :tls_port, :authority

  # locations: what stands in the `server` block; upstream: the port that PORT stands for
  def initialize(directory, locations, upstream:)
    @directory = directory
    @port, @tls_port = free_port, free_port
    @authority = Certificates.new(directory).authority
    File.write(File.join(directory, "nginx.conf"), configuration(locations.gsub("PORT", upstream.to_s)))
    @pid = Process.spawn(PROGRAM, "-p", directory, "-c", "nginx.conf", "-e", "error.log", "-g", "daemon off;")
    await_port(@port, File.join(directory, "error.log"))
  end

  def stop = end_process(@pid)

  private

  def configuration(locations)
    paths = %w[client_body proxy fastcgi uwsgi scgi].map { |name| "#{name}_temp_path #{@directory};" }.join("\n")
    <<~CONF
      pid nginx.pid;
      events {}
      http {
        access_log off;
        #{paths}
        limit_req_zone $binary_remote_addr zone=slow:1m rate=1r/m;
        limit_req_status 429;
        server {
          listen 127.0.0.1:#{@port};
          listen 127.0.0.1:#{@tls_port} ssl;
          ssl_certificate server.pem;
          ssl_certificate_key server.key;
          #{locations}
        }
      }
    CONF
  end
end
