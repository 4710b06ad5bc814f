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

    # The bytes of the file `path` that holds `data`.
    def encode(data, path, explicit = nil) = Native.encode(data, self.for(path, explicit), gzipped?(path))

    # The bytes of a profile in a format, given by its name.
    def bytes(data, format) = Native.encode(data, format, false)

    # The data Hashes of the parts of one recording as one.
    def merge(profiles) = Native.merge(profiles)

    # Whether a file of this name is gzipped whatever its format; pprof always is.
    def gzipped?(path) = path.to_s.end_with?(".gz")
  end
end
