# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/cli/process_stats"

class ProcessStatsTest < Minitest::Test
  EARLY = {pid: 1, ended_ns: 10, gc_count: 3, maxrss_bytes: 900, rss_bytes: 800, heap_pages_bytes: 500, died_4: 7}.freeze
  LATE = {pid: 1, ended_ns: 20, gc_count: 4, maxrss_bytes: 900, rss_bytes: 300, heap_pages_bytes: 600, died_4: 2}.freeze

  # A process that goes on as another program (exec) leaves a Hash of each.
  def test_a_process_has_the_memory_of_its_end
    [[EARLY, LATE], [LATE, EARLY]].each do |stats|
      expected = {pid: 1, ended_ns: 20, gc_count: 7, maxrss_bytes: 900, rss_bytes: 300, heap_pages_bytes: 600, died_4: 9}
      assert_equal [expected], Rperf::CLI::ProcessStats.by_process(stats)
    end
  end

  def test_processes_stay_apart
    assert_equal [1, 2], Rperf::CLI::ProcessStats.by_process([EARLY, LATE.merge(pid: 2)]).map { |stat| stat[:pid] }
  end
end
