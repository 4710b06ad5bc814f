# frozen_string_literal: true

require_relative "formats"

module Rperf
  # Data in one format, for what goes elsewhere than into a file: `Rperf::PProf.encode(data)`.
  class Encoder
    # Raises ArgumentError with one sentence for what is no data Hash.
    def self.check(data)
      raise ArgumentError, "there is no data to save: Rperf.stop returned nil, as no session ran" if data.nil?
      raise ArgumentError, "the data is that of #{data.length} modes: give them one by one" if data.is_a?(Array) && data.any? && data.all?(Hash)
      raise ArgumentError, "the data must be the Hash that Rperf.stop returned, not #{data.inspect[0, 80]}" unless data.is_a?(Hash)
    end

    def initialize(format)
      @format = format
      freeze
    end

    # The content of the file that Rperf.save writes, a String: text in UTF-8, or bytes. Raises
    # ArgumentError as that does.
    def encode(data)
      Encoder.check(data)
      Formats.bytes(Native::Profile.from_h(data), @format)
    end
  end

  # Go's pprof, compressed: bytes.
  PProf = Encoder.new(:pprof)
  # Collapsed stacks: a text.
  Collapsed = Encoder.new(:collapsed)
  # The text report.
  Text = Encoder.new(:text)
end
