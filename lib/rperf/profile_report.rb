# frozen_string_literal: true

require_relative "native"
require_relative "source_file"
require_relative "suggestion"

module Rperf
  # A report about profiles, as text.
  class ProfileReport
    # pprof's format of times, such as "Feb 25, 2026 at 6:13am (UTC)".
    STARTED = "%b %-d, %Y at %-l:%M%P (%Z)"

    # Maximum number of names that are compared with a wrong one.
    MAX_CANDIDATES = 20_000

    # view:     :top, :text, :tree, :peek, :traces, :labels, :by, :leaks, :comments, :method or
    #           :source
    # argument: the name or the regular expression of :peek, :method and :source, or the key of :by
    # focus, ignore, hide, show, tagfocus, tagignore, tagroot, tagleaf, unit: Strings as in pprof
    # mine: true folds frames that are not the project's
    # idle: true counts the time in which threads waited for work
    # nodecount, nodefraction: numbers; sort: :flat or :cum; format: :text or :json
    # colour:   nil where the text goes to no terminal, else whether colours are wanted
    # columns:  how many characters a line of the terminal has, or nil
    #
    # Raises ArgumentError with one sentence if an option is invalid.
    def initialize(options)
      @view = options.fetch(:view)
      @argument = options[:argument]
      names = options.slice(:view, :sort, :format).compact.transform_values(&:to_s)
      @native = Native::Report.new(options.merge(names))
    end

    # Yields the text about a Native::Profile, minus `base` if given, in parts. With each part it
    # yields the filters that match nothing in the profile. Raises Rperf::Error with one sentence,
    # before anything is yielded.
    def write(profile, base: nil, &)
      candidates = @native.candidates(profile)
      raise Error, unknown(candidates) if candidates
      @native.write(profile, base, started(profile, base), sources(profile), &)
    end

    # Returns the filtered Native::Profile, and the filters that match nothing in it.
    def select(profile) = @native.select(profile)

    # Returns a line for each function, and for the total, that has grown by more than `percent` of
    # the base's total and beyond chance; a line about growth by chance, or nil; the filters that
    # match nothing; and whether the filters leave nothing of the profile itself. Raises
    # Rperf::Error with one sentence, also if they leave nothing of either profile.
    def growth(profile, base, percent) = @native.growth(profile, base, percent)

    private

    def unknown(candidates)
      what = {method: "method", source: "source file"}.fetch(@view)
      "there is no #{what} '#{@argument}'#{Suggestion.clause(@argument, near(candidates))} (--top lists the functions)"
    end

    # Suggestions compare each candidate with the name, so names whose length differs too much are
    # skipped.
    def near(candidates)
      length = @argument.length
      candidates.first(MAX_CANDIDATES).select { |name| (name.length - length).abs <= 2 || name.start_with?(@argument) }
    end

    def sources(profile)
      @native.paths(profile).to_h { |path| [path, SourceFile.new(path, recorded_at: profile.start_time_ns).read] }
    end

    # As in pprof: an unknown time of the target does not count, one of the base does. Returns nil
    # if the time is unknown.
    def started(profile, base)
      times = [profile.start_time_ns, base&.start_time_ns].compact
      time = times.first.zero? ? times.last : times.min
      Time.at(0, time, :nsec).strftime(STARTED) unless time.zero?
    end
  end
end
