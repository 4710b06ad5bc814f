# frozen_string_literal: true

require_relative "../profile_file"

module Rperf
  class CLI
    # What is looked at: a profile, or how it differs from a base. Files are read once, when they are needed.
    class Subject
      # path: the file of the profile (of the target, where there is a base)
      # base: the file of the base, or nil
      # normalise: whether the target counts as if it had the base's total
      def initialize(path, base: nil, normalise: false)
        @path = path
        @base_path = base
        @normalise = normalise
      end

      # Whether there is a base, and whether the target is scaled to its total.
      def difference? = !@base_path.nil?
      # See `difference?`.
      def normalise? = @normalise

      # The files as the user named them, the base first.
      def paths = [@base_path, @path].compact

      # The profile as it is in the file.
      def profile = @profile ||= read(@path)

      # The base as it is in its file; nil where there is none.
      def base = @base ||= (read(@base_path) if difference?)

      # The profile as it is compared: scaled where that was asked for.
      def target = @target ||= normalise? ? complete { profile.normalised(base) } : profile

      # What the page is called.
      def title = difference? ? "#{@path} compared with #{@base_path}" : @path

      # Runs a report; an error names the files.
      def complete
        yield
      rescue Error => error
        raise Error, "cannot #{task}: #{error.message}"
      end

      private

      def read(path) = ProfileFile.new(path).profile

      def task = difference? ? "compare '#{@base_path}' and '#{@path}'" : "show '#{@path}'"
    end
  end
end
