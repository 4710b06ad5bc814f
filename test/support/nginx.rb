# frozen_string_literal: true

require "openssl"
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
    @authority = File.join(directory, "ca.pem")
    write_certificates
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

  # An authority of the test's own, and a certificate of it for 127.0.0.1.
  def write_certificates
    authority_key, key = Array.new(2) { OpenSSL::PKey::EC.generate("prime256v1") }
    authority = certificate("an authority", authority_key, "basicConstraints" => "CA:TRUE")
    server = certificate("a server", key, authority, authority_key, "subjectAltName" => "IP:127.0.0.1")
    File.write(@authority, authority.to_pem)
    File.write(File.join(@directory, "server.pem"), server.to_pem)
    File.write(File.join(@directory, "server.key"), key.to_pem)
  end

  def certificate(name, key, issuer = nil, issuer_key = key, **extensions)
    certificate = OpenSSL::X509::Certificate.new
    certificate.version, certificate.serial = 2, rand(1 << 64)
    certificate.subject = OpenSSL::X509::Name.parse("/CN=#{name}")
    certificate.issuer = (issuer || certificate).subject
    certificate.public_key = key
    certificate.not_before, certificate.not_after = Time.now - 3600, Time.now + 3600
    extensions.each { |kind, value| certificate.add_extension(OpenSSL::X509::ExtensionFactory.new.create_extension(kind.to_s, value)) }
    certificate.sign(issuer_key, "SHA256")
  end
end
