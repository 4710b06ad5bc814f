# frozen_string_literal: true

require_relative "native"
require_relative "output_file"
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

    # Writes a Native::Profile to the file `path`. Raises Rperf::Error with one sentence when it
    # cannot.
    def write(profile, path, explicit = nil)
      OutputFile.new(path).write_profile(profile, self.for(path, explicit), gzipped: gzipped?(path))
    end

    # The bytes of the file `path` that holds a Native::Profile.
    def encode(profile, path, explicit = nil) = profile.bytes(self.for(path, explicit), gzipped?(path))

    # The bytes of a Native::Profile in a format, given by its name.
    def bytes(profile, format) = profile.bytes(format, false)

    # Whether a file of this name is gzipped whatever its format; pprof always is.
    def gzipped?(path) = path.to_s.end_with?(".gz")
  end
end
