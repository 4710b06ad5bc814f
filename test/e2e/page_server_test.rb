# frozen_string_literal: true

require "net/http"
require "socket"
require_relative "../support/test_helper"
require "rperf/web/page_server"

# The server of the page over real HTTP.
class PageServerTest < Minitest::Test
  # Seconds that nothing here needs.
  FAR = 60
  HTML = "<!doctype html>\n<p>gr\u00fcn</p>\n"

  # Serves the page while the block runs; yields the address and the server.
  def serving(html = HTML, downloads: {}, **limits)
    server = Rperf::Web::PageServer.new(html, downloads:, limits: Rperf::Web::Limits.new(**limits))
    runner = Thread.new { server.run }
    yield URI(server.url), server
  ensure
    server.stop
    assert runner.join(FAR), "the server ends"
  end

  def get(uri, kind = Net::HTTP::Get, path: uri.path, **headers)
    Net::HTTP.start(uri.host, uri.port, open_timeout: FAR, read_timeout: FAR) { |http| http.request(kind.new(path, headers.transform_keys(&:to_s))) }
  end

  # What comes back for these bytes, until the server closes.
  def raw(uri, bytes)
    socket = TCPSocket.new(uri.host, uri.port)
    socket.write(bytes)
    socket.timeout = FAR
    socket.read
  ensure
    socket&.close
  end

  def status(response) = response[/\AHTTP\/1\.1 (\d+) /, 1].to_i

  def test_the_page
    serving do |uri|
      response = get(uri)
      assert_equal ["200", HTML], [response.code, response.body.dup.force_encoding("UTF-8")]
      assert_equal "text/html; charset=utf-8", response["content-type"]
      assert_equal HTML.bytesize.to_s, response["content-length"]
      assert_equal "200", get(uri, path: "#{uri.path}?x=1").code
    end
  end

  def test_headers_that_keep_others_out
    serving do |uri|
      [get(uri), get(uri, path: "/")].each do |response|
        assert_equal %w[no-store nosniff DENY no-referrer same-origin same-origin],
                     %w[cache-control x-content-type-options x-frame-options referrer-policy cross-origin-opener-policy
                        cross-origin-resource-policy].map { |name| response[name] }
      end
      assert_includes get(uri)["content-security-policy"], "default-src 'none'"
      assert_nil get(uri)["access-control-allow-origin"]
    end
  end

  def test_head
    serving do |uri|
      response = raw(uri, "HEAD #{uri.path} HTTP/1.1\r\nHost: localhost\r\n\r\n")
      assert_equal 200, status(response)
      assert_includes response, "content-length: #{HTML.bytesize}\r\n"
      assert response.end_with?("\r\n\r\n"), response
    end
  end

  def test_only_this_address_and_these_methods
    serving do |uri|
      ["/", "/favicon.ico", uri.path.chop, "#{uri.path}x", uri.path.swapcase, "/../../etc/passwd", "//etc/passwd"].each do |path|
        assert_equal "404", get(uri, path:).code, path
      end
      [Net::HTTP::Post, Net::HTTP::Put, Net::HTTP::Delete, Net::HTTP::Options].each do |kind|
        response = get(uri, kind, "Content-Type": "text/plain")
        assert_equal ["405", "GET, HEAD"], [response.code, response["allow"]]
      end
    end
  end

  def test_a_download_is_made_when_it_is_asked_for
    made = 0
    serving(downloads: {"a.json.gz" => -> { "bytes #{made += 1}" }}) do |uri|
      response = get(uri, path: "#{uri.path}a.json.gz")
      assert_equal ["200", "bytes 1", 'attachment; filename="a.json.gz"'], [response.code, response.body, response["content-disposition"]]
      %w[b.json.gz a.json.gz/ ../a.json.gz a.json.gz%00].each { |name| assert_equal "404", get(uri, path: "#{uri.path}#{name}").code, name }
      assert_equal "404", get(uri, path: "/#{"x" * 32}/a.json.gz").code
      assert_equal 1, made
    end
  end

  def test_each_server_has_an_address_of_its_own
    paths = Array.new(3) { serving { |uri| uri.path } }
    assert_equal 3, paths.uniq.length
    paths.each { |path| assert_match(%r{\A/[A-Za-z0-9]{32}/\z}, path) }
  end

  def test_only_names_of_this_machine
    serving do |uri|
      ["127.0.0.1:#{uri.port}", "localhost:#{uri.port}", "LOCALHOST", "[::1]:9"].each { |host| assert_equal "200", get(uri, Host: host).code, host }
      ["evil.example", "evil.example:#{uri.port}", "127.0.0.1.evil.example", "localhost.evil.example", "localhost:", "localhost@evil", ""].each do |host|
        assert_equal "403", get(uri, Host: host).code, host
      end
      assert_equal 403, status(raw(uri, "GET #{uri.path} HTTP/1.0\r\n\r\n"))
      assert_equal 403, status(raw(uri, "GET #{uri.path} HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"))
    end
  end

  def test_it_listens_on_the_loopback_interface_only
    serving do |uri|
      assert_equal "127.0.0.1", uri.host
      others = Socket.ip_address_list.select { |address| address.ipv4? && !address.ipv4_loopback? }
      others.each { |address| assert_raises(SystemCallError) { TCPSocket.new(address.ip_address, uri.port, connect_timeout: FAR) } }
    end
  end

  def test_what_is_no_request
    serving do |uri|
      ["\r\n\r\n", "hello\r\n\r\n", "GET #{uri.path}\r\n\r\n", "GET #{uri.path} HTTP/2\r\n\r\n", "\xff\xfe / HTTP/1.1\r\n\r\n".b,
       "GET #{uri.path} HTTP/1.1\r\nHost localhost\r\n\r\n", "GET #{uri.path} HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n"].each do |bytes|
        assert_equal 400, status(raw(uri, bytes)), bytes
      end
      assert_equal "200", get(uri).code
    end
  end

  def test_huge_requests
    serving do |uri|
      assert_equal 414, status(raw(uri, "GET /#{"a" * 1_000_000} HTTP/1.1\r\n\r\n"))
      assert_equal 431, status(raw(uri, "GET / HTTP/1.1\r\n#{"A: b\r\n" * 100_000}\r\n"))
      assert_equal "405", get(uri, Net::HTTP::Post, "content-length": "0", "Content-Type": "text/plain").code
      body = "POST #{uri.path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n#{"x" * 1_000_000}"
      assert_equal 405, status(raw(uri, body))
    end
  end

  def test_a_large_page_arrives_whole
    html = "0123456789" * 2_000_000
    serving(html) { |uri| assert_equal html, get(uri).body }
  end

  def test_a_client_that_is_too_slow_is_left
    serving(request_time: 1) do |uri|
      socket = TCPSocket.new(uri.host, uri.port)
      socket.write("GET ")
      socket.timeout = FAR
      assert_equal "", socket.read, "closed without a word"
      assert_equal "200", get(uri).code
    end
  end

  # A byte now and then does not prolong the time.
  def test_a_client_that_drips
    serving(request_time: 0.3) do |uri|
      socket = TCPSocket.new(uri.host, uri.port)
      dripper = Thread.new { drip(socket) }
      assert dripper.join(FAR), "it is closed"
    end
  end

  def drip(socket)
    loop { socket.write("G") && socket.wait_readable(0.01) }
  rescue SystemCallError
    nil
  end

  def test_a_client_that_does_not_read_is_left
    size = 50_000_000
    serving("x" * size, answer_time: 0.2) do |uri|
      before = Thread.list
      socket = TCPSocket.new(uri.host, uri.port)
      socket.write("GET #{uri.path} HTTP/1.1\r\nHost: localhost\r\n\r\n")
      assert socket.wait_readable(FAR)
      (Thread.list - before).each { |thread| assert thread.join(FAR), "the thread of the connection ends" }
      assert_operator socket.read.bytesize, :<, size
    end
  end

  def test_many_silent_connections_keep_nobody_out
    serving(connections: 8, request_time: FAR) do |uri|
      silent = Array.new(100) { TCPSocket.new(uri.host, uri.port) }
      assert_equal "200", get(uri).code
      assert silent.first.wait_readable(FAR), "the oldest had to go"
      assert_nil silent.last.wait_readable(0), "the newest is still there"
    end
  end

  def test_many_at_once
    serving do |uri|
      codes = Array.new(20) { Thread.new { get(uri).code } }.map(&:value)
      assert_equal ["200"] * 20, codes
    end
  end

  def test_it_stops_with_connections_open
    socket = nil
    serving(request_time: FAR) do |uri, server|
      socket = TCPSocket.new(uri.host, uri.port)
      assert_equal "200", get(uri).code
      server.stop
      server.stop
    end
    assert socket.wait_readable(FAR)
  end

  # Serves with a listener and threads of the test's own while the block runs.
  def serving_at(listener, threads: Thread.method(:new))
    server = Rperf::Web::Server.new(listener, threads:) { Rperf::Web::Response.sentence(200, "here") }
    runner = Thread.new { server.run }
    yield URI("http://127.0.0.1:#{listener.addr[1]}/")
  ensure
    server.stop
    assert runner.join(FAR), "the server ends"
  end

  # So many descriptors are open that none is left, for two attempts.
  class Exhausted < TCPServer
    def accept_nonblock(...)
      @attempts = @attempts.to_i + 1
      raise Errno::EMFILE if @attempts <= 2
      super
    end
  end

  def test_without_descriptors_it_waits
    begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    serving_at(Exhausted.new("127.0.0.1", 0)) { |uri| assert_equal "200", get(uri).code }
    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun, :>=, 2 * Rperf::Web::Server::PAUSE
  end

  def test_without_threads_it_goes_on
    attempts = 0
    threads = ->(&block) { (attempts += 1) == 1 ? raise(ThreadError, "can't create Thread") : Thread.new(&block) }
    serving_at(TCPServer.new("127.0.0.1", 0), threads:) do |uri|
      assert_raises(EOFError, Errno::ECONNRESET, Errno::EPIPE) { get(uri, Net::HTTP::Post) }
      assert_equal "200", get(uri).code
    end
  end
end
