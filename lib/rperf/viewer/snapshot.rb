# frozen_string_literal: true

require_relative "../formats"
require_relative "../native"
require_relative "../page"
require_relative "../utf8"

module Rperf
  class Viewer
    # A profile taken while the program ran. It is packed, since many snapshots are kept for long.
    Snapshot = Data.define(:number, :title, :taken_at, :mode, :duration_ns, :tick_count, :packed) do
      # Returns the figures of a Native::Profile, and its bytes.
      def self.content(profile)
        {**profile.figures.slice(:mode, :duration_ns), tick_count: profile.tick_count,
         packed: Formats.content(profile, "snapshot.json.gz").freeze}
      end

      # Makes the title valid text of bounded length, since it may come from anywhere.
      def initialize(title:, **rest)
        title = UTF8.of(title.to_s).strip[0, 200]
        super(title: title.empty? ? "snapshot #{rest[:number]}" : title, **rest)
      end

      # Returns the page of the profile, or of its difference from the snapshot `base`; `local`: see
      # Page. Raises Rperf::Error if the two measure different things.
      def html(local, base: nil)
        before, after = base ? Native::Profile.compare([base.profile], [profile]) : [nil, profile]
        before, after = [before, after].map { |side| side && Formats.shown(side, Formats::PAGE) }
        title = base ? "#{self.title} compared with #{base.title}" : self.title
        Page.new(after, base: before, title:, local:).html
      end

      # Returns the Native::Profile.
      def profile = Native::Profile.read(packed, nil)

      # Returns the bytes of a pprof file.
      def pprof = Native.to_pprof(packed)
    end
    private_constant :Snapshot
  end
end
