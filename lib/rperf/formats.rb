# frozen_string_literal: true

require_relative "first_use"
require_relative "native"
require_relative "output_file"
require_relative "suggestion"

module Rperf
  # The format of a file, determined by its name, and the bytes of a profile in that format. All
  # formats except the page are in the native part.
  module Formats
    # Formats by the ending of the file name. ".gz" may follow, except for the page, which browsers
    # would not show. The first ending that matches counts.
    ENDINGS = {
      ".data" => :pprof,
      ".pb" => :pprof,
      ".pprof" => :pprof,
      ".speedscope.json" => :speedscope,
      ".firefox.json" => :firefox,
      ".json" => :json,
      ".collapsed" => :collapsed,
      ".txt" => :text,
      ".dot" => :dot,
      ".callgrind" => :callgrind,
      ".callgrind.out" => :callgrind,
      ".md" => :markdown,
      ".otlp" => :otlp,
      ".html" => :html
    }.freeze
    # Format of a name without an ending: "profile", "/dev/stdout", "profile.gz".
    DEFAULT = :pprof
    # The page of `rperf report`, which the Ruby part makes.
    PAGE = :html
    # Formats that keep the moments of a timeline.
    WITH_MOMENTS = [:json, :firefox, :speedscope, PAGE].freeze

    # What names the format of a file instead of its ending, for sentences.
    NAMED_BY = "--format, format: or RPERF_FORMAT"

    # Formats that keep labels unchanged.
    WITH_LABELS = [:pprof, :json, :otlp].freeze

    module_function

    # Returns the names of all formats, Symbols.
    def names = [*Native::FORMATS, PAGE]

    # Returns the names of all modes, Symbols.
    def modes = Native::MODES

    # Returns the format for a file of this name, unless `explicit` gives one. With a `timeline` a
    # file .data, which may hold any format, is JSON. Raises ArgumentError with one sentence for an
    # ending that no format has, and for a gzipped page.
    def for(path, explicit = nil, timeline: false)
      raise ArgumentError, gzipped_page(path) if explicit == PAGE && gzipped?(path)
      return explicit if explicit
      name = File.basename(path.to_s)
      return :json if timeline && name.end_with?(".data", ".data.gz")
      _, format = ENDINGS.find { |ending, format| name.end_with?(ending) || (format != PAGE && name.end_with?("#{ending}.gz")) }
      format || (no_ending?(name) ? DEFAULT : raise(ArgumentError, unknown(path)))
    end

    # Writes a Native::Profile to the file `path`. Raises Rperf::Error with one sentence if that
    # fails.
    #
    # idle: whether texts for people (:text, :markdown) count the time in which threads waited for
    # work, and whether the page begins with it; all other formats always do
    # at_end: as in OutputFile#write_profile
    def write(profile, path, explicit = nil, idle: false, at_end: false)
      file, format = OutputFile.new(path), for_profile(profile, path, explicit)
      profile = with_resource(shown(profile, format), format)
      return file.write(page(profile, path, idle)) if format == PAGE
      file.write_profile(profile, format, gzipped: gzipped?(path), idle:, at_end:)
    end

    # Writes the Native::Profiles of a recording, the profile of each mode to its own file, and then
    # yields it with that file. Raises like `write`; `idle` and `at_end` as there.
    #
    # mode: as in Rperf.start
    def write_each(profiles, path, mode, explicit = nil, **options)
      profiles.zip(paths(path, mode)) do |profile, own|
        write(profile, own, for_profile(profile, path, explicit), **options)
        yield profile, own if block_given?
      end
    end

    # Returns the files of a recording in the order of its modes: `path`, or one for each of several
    # modes, "app.cpu.pb.gz" and "app.alloc.pb.gz" for "app.pb.gz". Their format is that of `path`,
    # since "app.cpu" has no known ending.
    def paths(path, mode) = mode.is_a?(Array) ? mode.map { |name| path_with(path, name) } : [path]

    # Returns the path of a file beside `path`, with a word in front of the ending.
    def path_with(path, word)
      stem = path.delete_suffix(".gz")
      ending = ENDINGS.keys.find { |known| stem.end_with?(known) } || File.extname(stem)
      stem = stem.delete_suffix(ending)
      "#{stem}.#{word}#{path.delete_prefix(stem)}"
    end

    # Yields the content of the file `path` that holds a Native::Profile, part by part; `idle` as in
    # `write`.
    def each_part(profile, path, format, idle: false, &)
      return yield(page(profile, path, idle)) if format == PAGE
      with_resource(profile, format).encode(format, gzipped?(path), idle, &)
    end

    # Returns the bytes of a file of this name that holds a Native::Profile.
    def content(profile, path)
      format = for_profile(profile, path, nil)
      format == PAGE ? page(profile, path, false) : bytes(profile, format, gzipped: gzipped?(path))
    end

    # Returns the bytes of a Native::Profile in the format of this name; `idle` as in `write`.
    def bytes(profile, format, gzipped: false, idle: false)
      with_resource(shown(profile, format), format).bytes(format, gzipped, idle)
    end

    # Returns a Native::Profile as text; `idle` as in `write`. columns: the width of the terminal on
    # which its rows fit, or nil
    def text(profile, columns:, idle: false) = shown(profile, :text).text(idle, columns)

    # Returns a Native::Profile as a format shows it: labels that it loses may become frames.
    def shown(profile, format)
      WITH_LABELS.include?(format) || !profile.leaf_labels? ? profile : profile.shown
    end

    # Returns the format for a Native::Profile in a file of this name.
    def for_profile(profile, path, explicit) = self.for(path, explicit, timeline: profile.timeline?)

    # Returns whether a file of this name is gzipped in any format; pprof always is.
    def gzipped?(path) = path.to_s.end_with?(".gz")

    # OTLP contains the attributes that the environment gives.
    def with_resource(profile, format)
      return profile unless format == :otlp
      FirstUse.prepare { require_relative "otlp_resource" }
      OTLPResource.put(profile)
    end
    private_class_method :with_resource

    # Returns the page, with the file's name as its title.
    def page(profile, path, idle)
      FirstUse.prepare { require_relative "page" }
      Page.new(profile, title: File.basename(path.to_s), idle:).html
    end
    private_class_method :page

    def no_ending?(name) = File.extname(name.delete_suffix(".gz")).empty?
    private_class_method :no_ending?

    def gzipped_page(path) = "'#{path}' ends in '.gz', but browsers show no page that is gzipped: use a name that ends in .html"
    private_class_method :gzipped_page

    def unknown(path)
      ending = File.basename(path.to_s)[/\.[^.]*(?:\.gz)?\z/]
      *most, last = ENDINGS.keys
      "'#{path}' ends in '#{ending}', which no format has: use #{most.join(", ")} or #{last} (all but #{last} also with .gz), " \
        "or name the format (#{NAMED_BY})#{Suggestion.clause(ending, ENDINGS.keys)}"
    end
    private_class_method :unknown
  end
end
