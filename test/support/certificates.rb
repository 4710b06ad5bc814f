# frozen_string_literal: true

require "openssl"

# An authority of a test's own, with certificates of it for a server at 127.0.0.1 and for a client:
# ca.pem, server.pem, server.key, client.pem and client.key in a directory.
class Certificates
  def initialize(directory)
    @directory = directory
    @key = new_key
    @own = certificate("an authority", @key, "basicConstraints" => "CA:TRUE")
    File.write(authority, @own.to_pem)
    write("server", "subjectAltName" => "IP:127.0.0.1")
    write("client", "extendedKeyUsage" => "clientAuth")
  end

  def authority = path("ca.pem")

  def path(name) = File.join(@directory, name)

  private

  def new_key = OpenSSL::PKey::EC.generate("prime256v1")

  def write(name, extensions)
    key = new_key
    File.write(path("#{name}.pem"), certificate("a #{name}", key, @own, @key, **extensions).to_pem)
    File.write(path("#{name}.key"), key.to_pem)
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
