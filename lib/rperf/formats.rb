# frozen_string_literal: true

require_relative "native"
require_relative "suggestion"

module Rperf
  # Which format a file has by its name, and the bytes of a profile in that format.
  # The formats themselves live in the native part.
  module Formats
    # What a file name that ends so stands for; everything else is pprof.
    # The first that fits counts.
    EXTENSIONS = {
      ".speedscope.json" => :speedscope,
      ".speedscope.json.gz" => :speedscope,
      ".firefox.json" => :firefox,
      ".firefox.json.gz" => :firefox,
      ".json" => :json,
      ".json.gz" => :json,
      ".collapsed" => :collapsed,
      ".txt" => :text,
      ".dot" => :dot,
      ".callgrind" => :callgrind,
      ".callgrind.out" => :callgrind,
      ".md" => :markdown
    }.freeze
    DEFAULT = :pprof

    module_function

    # The names of all formats, Symbols.
    def names = Native::FORMATS

    # The names of all modes, Symbols.
    def modes = Native::MODES

    # The format for a file of this name, unless `explicit` names one.
    def for(path, explicit = nil)
      return explicit if explicit
      name = path.to_s
      EXTENSIONS.each { |extension, format| return format if name.end_with?(extension) }
      DEFAULT
    end

    # The bytes of the file `path` that holds `data`: pprof brings its own compression, other formats
    # are compressed when the name ends in ".gz".
    def encode(data, path, explicit = nil)
      format = self.for(path, explicit)
      plain = bytes(data, format)
      return plain unless packed?(path, format)
      buffer = String.new(encoding: Encoding::BINARY)
      gzip(StringSink.new(buffer)) { |writer| writer.write(plain) }
      buffer
    end

    # Yields what takes the bytes of a profile in a format, on their way into `out`, which is the file `path`.
    def packing(out, path, format, &)
      packed?(path, format) ? gzip(out, &) : yield(out)
    end

    # The bytes of a profile in a format, given by its name.
    def bytes(data, format) = Native.encode(data, format)

    # The data Hashes of the parts of one recording as one.
    def merge(profiles) = Native.merge(profiles)

    # Whether the file has a compression that is not the format's own.
    def packed?(path, format) = format != :pprof && path.to_s.end_with?(".gz")

    # The same bytes in, the same bytes out: no time stamp in the header.
    def gzip(out)
      require "zlib"
      writer = Zlib::GzipWriter.new(out)
      writer.mtime = 0
      yield writer
    ensure
      writer&.finish
    end

    # The little of an IO that GzipWriter needs; spares the profiled program a `require "stringio"`.
    class StringSink
      def initialize(buffer) = @buffer = buffer

      def write(bytes)
        @buffer << bytes.b
        bytes.bytesize
      end
    end
    private_constant :StringSink
  end
end
