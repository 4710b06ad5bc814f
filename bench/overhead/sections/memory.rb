# frozen_string_literal: true

require "json"
require "open3"
require "rbconfig"
require_relative "../lib/table"

module Overhead
  module Sections
    # Memory of the profile of a long run. Each figure is from a process of its own, at 10 kHz.
    class Memory
      CHILD = File.expand_path("../memory_child.rb", __dir__)

      def initialize(rounds:, quick:)
        @jobs = quick ? [%w[same 10000 true], %w[unique 10000 true]] : FULL
      end

      FULL = [%w[same 100000 true], %w[same 1000000 true], %w[same 100000 false], %w[same 1000000 false],
              %w[unique 100000 true]].freeze

      def title = "Memory: resident set above that before the start, MB"

      def tables
        heads = ["stacks", "aggregate", "samples wanted", "samples taken", "unique stacks", "still sampling", "with the data hash"]
        [Table.markdown(heads, @jobs.map { |job| row(*job) })]
      end

      private

      def row(stacks, samples, aggregate)
        output, status = Open3.capture2e(RbConfig.ruby, CHILD, stacks, samples, aggregate)
        raise "bench/overhead/memory_child.rb failed: #{output}" unless status.success?

        found = JSON.parse(output.lines.last, symbolize_names: true)
        [stacks, aggregate, samples, found[:samples], found[:unique_stacks] || "", megabytes(found[:sampling]), megabytes(found[:stopped])]
      end

      def megabytes(bytes) = format("%+.1f", bytes / 1e6)
    end
  end
end
