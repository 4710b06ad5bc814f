# frozen_string_literal: true

require_relative "native"
require_relative "output_file"
require_relative "suggestion"

module Rperf
  # Which format a file has by its name, and the bytes of a profile in that format.
  # The formats themselves live in the native part, but for the page.
  module Formats
    # What a file name that ends so stands for; with ".gz" behind it too, but for the page, which
    # browsers would not show. The first that fits counts.
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
    # What a name without an ending stands for: "profile", "/dev/stdout", "profile.gz".
    DEFAULT = :pprof
    # The page of `rperf report`, which the Ruby part makes.
    PAGE = :html
    # Those that keep the moments of a timeline.
    WITH_MOMENTS = [:json, :firefox, :speedscope, PAGE].freeze

    # Those that keep labels as they are.
    WITH_LABELS = [:pprof, :json, :otlp].freeze

    module_function

    # The names of all formats, Symbols.
    def names = [*Native::FORMATS, PAGE]

    # The names of all modes, Symbols.
    def modes = Native::MODES

    # The format for a file of this name, unless `explicit` names one. A profile with a `timeline`
    # is JSON in a file .data, which may hold any format. Raises ArgumentError with one sentence for
    # an ending that no format has, or that makes the page something else.
    def for(path, explicit = nil, timeline: false)
      raise ArgumentError, gzipped_page(path) if explicit == PAGE && gzipped?(path)
      return explicit if explicit
      name = File.basename(path.to_s)
      return :json if timeline && name.end_with?(".data")
      _, format = ENDINGS.find { |ending, format| name.end_with?(ending) || (format != PAGE && name.end_with?("#{ending}.gz")) }
      format || (no_ending?(name) ? DEFAULT : raise(ArgumentError, unknown(path)))
    end

    # Writes a Native::Profile to the file `path`. Raises Rperf::Error with one sentence when it
    # cannot.
    #
    # idle: whether texts for people (:text, :markdown) count the time in which threads waited for
    # work; all other formats always do
    # at_end: as in OutputFile#write_profile
    def write(profile, path, explicit = nil, idle: false, at_end: false)
      file, format = OutputFile.new(path), for_profile(profile, path, explicit)
      profile = with_resource(shown(profile, format), format)
      return file.write(page(profile, path)) if format == PAGE
      file.write_profile(profile, format, gzipped: gzipped?(path), idle:, at_end:)
    end

    # Writes the Native::Profiles of a recording, the one of each mode to its file. Raises like
    # write; `idle` and `at_end` as there.
    #
    # mode: as in Rperf.start
    def write_each(profiles, path, mode, explicit = nil, **options)
      profiles.zip(paths(path, mode)) { |profile, own| write(profile, own, for_profile(profile, path, explicit), **options) }
    end

    # The files of a recording in the order of its modes: `path`, or one for each of several modes,
    # "app.cpu.pb.gz" and "app.alloc.pb.gz" for "app.pb.gz". Their format is that of `path`: what
    # "app.cpu" ends in is none.
    def paths(path, mode) = mode.is_a?(Array) ? mode.map { |name| path_with(path, name) } : [path]

    # The path of a file beside `path`, with a word in front of its ending.
    def path_with(path, word)
      stem = path.delete_suffix(".gz")
      ending = ENDINGS.keys.find { |known| stem.end_with?(known) } || File.extname(stem)
      stem = stem.delete_suffix(ending)
      "#{stem}.#{word}#{path.delete_prefix(stem)}"
    end

    # Yields the content of the file `path` that holds a Native::Profile, part by part; `idle` as in
    # write.
    def each_part(profile, path, format, idle: false, &)
      return yield(page(profile, path)) if format == PAGE
      with_resource(profile, format).encode(format, gzipped?(path), idle, &)
    end

    # The bytes of the file `path` that holds a Native::Profile.
    def encode(profile, path, explicit = nil) = profile.bytes(for_profile(profile, path, explicit), gzipped?(path), false)

    # The bytes of a file of this name that holds a Native::Profile as the format shows it.
    def content(profile, path)
      format = for_profile(profile, path, nil)
      return page(profile, path) if format == PAGE
      with_resource(shown(profile, format), format).bytes(format, gzipped?(path), false)
    end

    # The bytes of a Native::Profile in a format, given by its name; `idle` as in write.
    def bytes(profile, format, idle: false) = with_resource(shown(profile, format), format).bytes(format, false, idle)

    # A Native::Profile as a format shows it: what it loses of labels may be frames.
    def shown(profile, format)
      WITH_LABELS.include?(format) || !profile.leaf_labels? ? profile : profile.shown
    end

    # The format for a Native::Profile in a file of this name.
    def for_profile(profile, path, explicit) = self.for(path, explicit, timeline: profile.timeline?)

    # Whether a file of this name is gzipped whatever its format; pprof always is.
    def gzipped?(path) = path.to_s.end_with?(".gz")

    # OTLP says what the environment does.
    def with_resource(profile, format)
      return profile unless format == :otlp
      require_relative "otlp_resource"
      OTLPResource.put(profile)
    end
    private_class_method :with_resource

    # The page, called as the file is.
    def page(profile, path)
      require_relative "page"
      Page.new(profile, title: File.basename(path.to_s)).html
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
        "or name the format (--format, format:)#{Suggestion.clause(ending, ENDINGS.keys)}"
    end
    private_class_method :unknown
  end
end
