# frozen_string_literal: true

require "socket"

# A server for requests that carry profiles: says what it is told, and may break its answers off.
class PushServer
  Request = Data.define(:method, :path, :headers, :body, :at)

  attr_reader :port

  # The block gets the number of the request, from 0, and the request, and returns [status, headers,
  # body], or :close (without an answer), :silence, or a text that is sent as it is before the
  # connection is closed.
  def initialize(&answer)
    @answer = answer || proc { [200, {}, ""] }
    @server = TCPServer.new("127.0.0.1", 0)
    @port = @server.addr[1]
    @requests = []
    @lock = Thread::Mutex.new
    @arrived = Thread::ConditionVariable.new
    @thread = Thread.new { accept }
  end

  # Those that came until now.
  def requests = @lock.synchronize { @requests.dup }

  # Waits for so many requests.
  def await(count, seconds: 60)
    @lock.synchronize do
      finish = now + seconds
      @arrived.wait(@lock, finish - now) until @requests.length >= count || now > finish
      raise "#{@requests.length} requests came, not #{count}" if @requests.length < count
      @requests.dup
    end
  end

  def close
    @thread.kill.join
    @server.close
  end

  private

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def accept
    loop { Thread.new(@server.accept) { |socket| serve(socket) } }
  end

  def serve(socket)
    while (request = read(socket))
      number = @lock.synchronize { @requests.push(request).length.tap { @arrived.broadcast } - 1 }
      break unless reply(socket, @answer.call(number, request))
    end
  rescue SystemCallError, IOError
    nil # The client went away.
  ensure
    socket.close
  end

  def read(socket)
    line = socket.gets or return
    headers = {}
    while (header = socket.gets.chomp) != ""
      name, value = header.split(": ", 2)
      headers[name.downcase] = value
    end
    Request.new(*line.split.first(2), headers, socket.read(headers["content-length"].to_i), now)
  end

  # Whether the connection stays.
  def reply(socket, answer)
    case answer
    when :close then false
    when :silence then sleep
    when String then socket.write(answer) && false
    else
      status, headers, body = answer
      lines = {"Content-Length" => body.bytesize, **headers}.map { |name, value| "#{name}: #{value}\r\n" }
      socket.write("HTTP/1.1 #{status} X\r\n#{lines.join}\r\n#{body}")
    end
  end
end
