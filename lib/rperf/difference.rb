# frozen_string_literal: true

require "json"
require_relative "profile_file"
require_relative "profile_report"

module Rperf
  # What has changed between two profiles, for programs.
  module Difference
    # Returns the document of `rperf diff --format json` about two data Hashes, with Symbols as
    # names: the view --leaks of heap profiles, otherwise --top. No row is left out. Raises
    # Rperf::Error if they measure different things.
    def self.of(base, target)
      bases, targets = [base, target].map { |data| [Native::Profile.from_h(data)] }
      base, target = ProfileFile.compare(bases, targets)
      view = target.mode == :heap ? :leaks : :top
      parts = []
      ProfileReport.new(view:, format: :json, nodecount: 0, nodefraction: 0).write(target, base:) { |part,| parts << part }
      JSON.parse(parts.join(""), symbolize_names: true)
    end
  end
end
