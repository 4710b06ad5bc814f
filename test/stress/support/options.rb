# frozen_string_literal: true

require "optparse"

module Stress
  # Command-line options that the stress programs share.
  module Options
    # Returns {seconds:, ...}: `defaults` with what the arguments changed; the block may declare
    # more options.
    def self.parse(arguments, banner:, **defaults)
      options = defaults.dup
      OptionParser.new do |parser|
        parser.banner = banner
        parser.on("--seconds N", Float, "how long it runs (default: #{defaults[:seconds]})") { |n| options[:seconds] = n } if defaults.key?(:seconds)
        if defaults.key?(:frequency)
          parser.on("--frequency HZ", Integer, "ticks a second (default: #{defaults[:frequency]})") { |hz| options[:frequency] = hz }
        end
        yield parser, options
      end.parse!(arguments)
      abort "unknown argument '#{arguments.first}': see --help" unless arguments.empty?
      options
    end
  end
end
