# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/stat_report"

class StatReportTest < Minitest::Test
  LEAF = ["fib.rb", "Object#fib"].freeze
  MAIN = ["fib.rb", "<main>"].freeze
  BLOCKED, WAIT, MARKING, SWEEPING, NO_PROCESSOR = ["GVL blocked", "GVL wait", "GC marking", "GC sweeping", "CPU wait"].map { |state|
    Rperf::Native::STATE_FRAMES.find { |_path, label| label == "[#{state}]" }
  }
  STAT = {
    user_ns: 744_400_000, sys_ns: 32_000_000, gc_count: 9, gc_minor_count: 6, gc_major_count: 3, gc_time_ns: 12_000_000,
    allocated_objects: 154_468, freed_objects: 66_596, maxrss_bytes: 25 << 20, voluntary_switches: 10,
    involuntary_switches: 21, read_bytes: 0, written_bytes: 0
  }.freeze

  TIMES = {user_ns: 744_400_000, sys_ns: 32_000_000, real_ns: 491_000_000}.freeze

  def data(samples, **more)
    {mode: :wall, frequency: 1000, sampling_count: 481, trigger_count: 481, sampling_time_ns: 500_000,
     duration_ns: 491_000_000, aggregated_samples: samples, dropped: {}, **more}
  end

  def report(samples, stats: [STAT], times: TIMES, more: {}, command: "ruby fib.rb", **options)
    Rperf::StatReport.new([Rperf::Native::Profile.from_h(data(samples, **more))], stats:, command:, times:, **options).to_s
  end

  # A script of several lines with colours, and the names of all files of a directory.
  def test_the_heading_is_a_line_whatever_the_command_is
    heading = ->(command) { report([], command:)[/\A\n Performance stats for '(.*)':\n\n/, 1] }
    assert_equal "ruby -e puts 1 puts \u{fffd}[31m \u{fffd}", heading.call("ruby -e puts 1\n\nputs \e[31m\n \u{9b}")
    assert_equal "ls #{"é " * 165}é...", heading.call("ls #{"é " * 5000}")
  end

  def test_the_layout_of_the_guide
    assert_equal <<~TEXT.gsub(/^/, ""), report([[[LEAF, MAIN], 481_000_000, 1, 0]])

      \sPerformance stats for 'ruby fib.rb':

               744.4 ms          user
                32.0 ms          sys
               491.0 ms          real

               481.0 ms  100.0%  CPU execution

                12.0 ms          [Ruby] GC time (9 count: 6 minor, 3 major)
             154,468             [Ruby] allocated objects
              66,596             [Ruby] freed objects
                  25 MB          [OS] peak memory (maxrss)
                  31             [OS] context switches (10 voluntary, 21 involuntary)
                   0 MB          [OS] disk I/O (0 MB read, 0 MB write)

        1 sample / 481 triggers, 0.1% profiler overhead

    TEXT
  end

  def test_where_the_time_went
    samples = [[[LEAF, MAIN], 250_000_000, 1, 0], [[BLOCKED, MAIN], 500_000_000, 1, 0], [[WAIT, MAIN], 125_000_000, 1, 0],
      [[MARKING, MAIN], 75_000_000, 1, 0], [[SWEEPING, MAIN], 25_000_000, 1, 0], [[NO_PROCESSOR, MAIN], 25_000_000, 1, 0]]
    rows = report(samples).lines.grep(/%  /).map(&:strip)
    assert_equal [
      "250.0 ms   25.0%  CPU execution", "25.0 ms    2.5%  [OS] CPU wait (no processor)", "500.0 ms   50.0%  [Ruby] GVL blocked (I/O, sleep)",
      "125.0 ms   12.5%  [Ruby] GVL wait (contention)", "75.0 ms    7.5%  [Ruby] GC marking",
      "25.0 ms    2.5%  [Ruby] GC sweeping"
    ], rows
  end

  def test_columns_stay_aligned_for_large_numbers
    large = STAT.merge(allocated_objects: 9_876_543_210)
    lines = report([[[LEAF], 1, 1, 0]], stats: [large], times: TIMES.merge(user_ns: 123_456_789_000_000)).lines
    names = lines.filter_map { |line| line.index(/user$|sys$|real$|\[Ruby\]|\[OS\]|CPU/) }
    assert_equal 1, names.uniq.length
    assert_includes lines.join, "123,456,789.0 ms"
    assert_includes lines.join, "9,876,543,210"
  end

  def test_a_narrow_terminal_breaks_no_row
    switches = STAT.merge(voluntary_switches: 12_345_678, involuntary_switches: 23_456_789)
    leaf = ["/b/gems/activerecord-8.0.1/lib/active_record/connection_adapters/postgresql/database_statements.rb",
      "ActiveRecord::ConnectionAdapters::PostgreSQL::DatabaseStatements#perform_query"]
    text = report([[[leaf, MAIN], 481_000_000, 1, 0]], stats: [switches], tables: true, columns: 80)
    assert_operator text.lines(chomp: true).map(&:length).max, :<=, 80, text
    assert_match(/^ {4}35,802,467 {13}\[OS\] context switches \(12,345,678 voluntary,\n {27}23,456,789 involuntary\)$/, text)
    assert_match(/^ +481\.0 ms 100\.0%  \u2026DatabaseStatements#perform_query \(\u2026database_statements\.rb\)$/, text)
    whole = report([[[leaf, MAIN], 481_000_000, 1, 0]], tables: true)
    assert_includes whole, "100.0%  ActiveRecord::ConnectionAdapters::PostgreSQL::DatabaseStatements#perform_query (activerecord-8.0.1/lib/"
  end

  # Deaths are estimates, and what is allocated is a count.
  def test_no_more_objects_die_than_all
    types = [%w[alloc_objects count], %w[alloc_space bytes], %w[inuse_objects count], %w[inuse_space bytes]]
    sample = Rperf::Sample.new([LEAF], 0, 1, 0, 3, nil, nil, [1500, 60_000, 0, 0])
    profile = Rperf::Native::Profile.from_h({mode: :heap, period: ["objects", "count", 500], value_types: types, value_type: types.last,
                                             trigger_count: 1400, aggregated_samples: [sample], dropped: {}})
    text = Rperf::StatReport.new([profile], stats: [STAT.merge(allocated_objects: 1400, died_1: 1500)], command: "ruby", times: TIMES).to_s
    assert_match(/^ +1,500 +100\.0%  died in the first collection after their birth$/, text)
  end

  MEMORY = {rss_bytes: 100 << 20, rss_file_bytes: 20 << 20, heap_pages_bytes: 40 << 20, heap_live_bytes: 30 << 20, malloc_used_bytes: 25 << 20,
            malloc_free_bytes: 5 << 20}.freeze

  def memory(*stats)
    text = report([[[LEAF], 1, 1, 0]], stats: stats.map { |stat| STAT.merge(stat) })
    text[/^[^\n]*resident.*?\n\n/m].to_s.lines.map { |line| line.strip.squeeze(" ") }.reject(&:empty?)
  end

  def test_what_is_resident_is_told_by_parts
    assert_equal ["100 MB [OS] resident memory at the end", "20 MB 20.0% files: Ruby's code, libraries, shared memory",
      "40 MB 40.0% Ruby's heap pages (75.0% in objects)", "25 MB 25.0% malloc: in use", "5 MB 5.0% malloc: kept free",
      "10 MB 10.0% stacks, compiled code and other memory"], memory(MEMORY)
    assert_empty memory(STAT), "where no objects are sampled"
  end

  def test_parts_are_no_more_than_the_whole
    rows = memory(MEMORY.merge(malloc_used_bytes: 99 << 20))
    assert_equal ["40 MB 40.0% malloc: in use", "0 MB 0.0% malloc: kept free", "0 MB 0.0% stacks, compiled code and other memory"], rows.last(3)
  end

  def test_memory_of_which_malloc_says_nothing
    rows = memory(MEMORY.reject { |key, _| key.start_with?("malloc") })
    assert_equal "40 MB 40.0% malloc, stacks, compiled code and other memory", rows.last
    assert_equal 4, rows.length
  end

  def test_of_several_processes_the_one_with_most_resident_memory_counts
    assert_equal "101 MB [OS] resident memory at the end of the largest process", memory(MEMORY, MEMORY.merge(rss_bytes: 101 << 20)).first
  end

  def test_several_processes_are_summed
    text = report([[[LEAF], 1, 1, 0]], stats: [STAT, STAT.merge(maxrss_bytes: 99 << 20)])
    assert_match(/^ +24\.0 ms +\[Ruby\] GC time \(18 count: 12 minor, 6 major\)$/, text)
    assert_match(/^ +2 +\[OS\] processes$/, text)
    assert_match(/^ +99 MB +\[OS\] peak memory of the largest process \(maxrss\)$/, text)
  end

  def test_yjit
    refute_includes report([[[LEAF], 1, 1, 0]]), "YJIT"
    assert_match(/^ +97\.3 % +\[Ruby\] YJIT ratio$/, report([[[LEAF], 1, 1, 0]], stats: [STAT.merge(yjit_compiled_count: 3, yjit_ratio: 97.31)]))
    assert_match(/^ +on +\[Ruby\] YJIT \(3 methods/, report([[[LEAF], 1, 1, 0]], stats: [STAT.merge(yjit_compiled_count: 3)]))
  end

  def test_drops_are_shown
    more = {dropped: {"ring full" => {samples: 1200, weight_ns: 5}}}
    assert_includes report([[[LEAF], 1, 1, 0]], more:), "1 sample / 481 triggers, 1,200 dropped, 0.1% profiler overhead"
  end

  def test_time_that_no_sample_has_is_part_of_the_whole
    more = {dropped: {"no tick" => {samples: 1, weight_ns: 30_000_000}, "ring full" => {samples: 7, weight_ns: 0}}}
    rows = report([[[LEAF], 10_000_000, 1, 0]], more:).lines.grep(/%  /).map(&:strip)
    assert_equal ["10.0 ms   25.0%  CPU execution", "30.0 ms   75.0%  [rperf] dropped (no tick)"], rows
  end

  def test_an_empty_profile
    text = report([])
    assert_match(/^ +0\.0 ms +0\.0%  CPU execution$/, text)
    assert_includes text, "0 samples / 481 triggers"
  end

  def test_the_times_are_there_without_a_profile
    assert_equal <<~TEXT, Rperf::StatReport.new([], stats: [], command: "ruby fib.rb", times: TIMES, tables: true).to_s

      \sPerformance stats for 'ruby fib.rb':

               744.4 ms          user
                32.0 ms          sys
               491.0 ms          real

    TEXT
  end

  def test_each_of_several_modes_has_a_heading
    profiles = %i[cpu wall].map { |mode| Rperf::Native::Profile.from_h(data([[[LEAF, MAIN], 1_000_000, 1, 0]], mode:)) }
    text = Rperf::StatReport.new(profiles, stats: [STAT], command: "ruby fib.rb", times: TIMES, tables: true).to_s
    assert_equal ["CPU time:", "Wall time:"], text.scan(/^\n (.*)\n +1\.0 ms  100\.0%  CPU execution\n/).flatten
    assert_equal ["CPU time", "wall time"], text.scan(/^  1 sample .* profiler overhead \((.*)\)$/).flatten
    assert_equal ["CPU time:", "Wall time:"], text.scan(/^\n (.*)\nFlat:$/).flatten
  end
end
