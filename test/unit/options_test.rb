# frozen_string_literal: true

require "pathname"
require_relative "../support/test_helper"

class OptionsTest < Minitest::Test
  def keywords(**given) = Rperf::Options.from_keywords(given)

  def complaint(**given) = assert_raises(ArgumentError) { keywords(**given) }.message

  def test_defaults
    options = keywords
    assert_equal 1000, options[:frequency]
    assert_equal :cpu, options[:mode]
    assert_nil options[:output]
    assert_equal({frequency: 1000, mode: :cpu, interval: nil, watch: nil, objects: nil, min_age: nil, gc: true, data_sizes: true, malloc: false,
                  malloc_interval: nil, native_memory: false, signal: nil, aggregate: true,
                  timeline: false, lines: true, native: false, blame: false, defer: false, slow: nil},
      options.for_native)
  end

  def test_frequency_is_a_whole_number_within_its_range
    assert_equal 1, keywords(frequency: 1)[:frequency]
    assert_equal 10_000, keywords(frequency: 10_000)[:frequency]
    [0, -1, 10_001, 99.5, "99", nil, 1 << 80].each do |value|
      assert_match(/\Afrequency: must be a whole number from 1 to 10000 \(Hz\), not /, complaint(frequency: value))
    end
  end

  def test_mode_is_a_name_that_the_native_part_knows
    assert_equal :wall, keywords(mode: :wall)[:mode]
    assert_equal :wall, keywords(mode: "wall")[:mode]
    assert_equal "mode: must be cpu, wall, custom, alloc, heap or both, not :wal; did you mean 'wall'?", complaint(mode: :wal)
    assert_equal "mode: must be cpu, wall, custom, alloc, heap or both, not '\u{FFFD}'", complaint(mode: "\xFF")
    assert_equal "mode: must be an Array for several modes, such as [:cpu, :alloc], not \"cpu,heap\"", complaint(mode: "cpu,heap")
    assert_match(/not nil/, complaint(mode: nil))
    assert_match(/not 3/, complaint(mode: 3))
  end

  # Whatever it is, an error about it is one line of some length.
  def test_wrong_values_are_shown_in_one_line
    several_lines = Object.new
    def several_lines.inspect = "#<A\nb>"
    nothing = Object.new
    def nothing.inspect = nil
    assert_equal "lines: must be true or false, not #<A\u{fffd}b>", complaint(lines: several_lines)
    assert_equal "lines: must be true or false, not ", complaint(lines: nothing)
    assert_equal "lines: must be true or false, not \"#{"x" * 79}...", complaint(lines: "x" * 1_000_000)
    assert_equal "mode: must be cpu, wall, custom, alloc, heap or both, not '#{"w" * 80}...'", complaint(mode: "w" * 1_000_000)
    assert_equal "mode: must be cpu, wall, custom, alloc, heap or both, not 'wal'; did you mean 'wall'?", complaint(mode: "wal".encode("UTF-16LE"))
  end

  def test_objects_are_sampled_by_an_interval_and_not_by_a_frequency
    assert_equal [:alloc, 500, nil], %i[mode interval frequency].map { |name| keywords(mode: :object)[name] }
    assert_equal 1, keywords(mode: :alloc, interval: 1)[:interval]
    assert_nil keywords(mode: :custom)[:interval]
    assert_match(/\Ainterval: must be a whole number from 1 to 1000000000 \(objects\), not 0\z/, complaint(mode: :alloc, interval: 0))
    assert_match(/\Awatch: must be direct or event, not :evnt; did you mean 'event'\?\z/, complaint(mode: :alloc, watch: :evnt))
    assert_match(/\Awatch: \(--watch\) belongs to the modes alloc and heap, not to wall: /, complaint(mode: :wall, watch: :event))
    assert_match(/\Ainterval: \(--interval\) belongs to the modes alloc and heap, not to cpu: /, complaint(interval: 9))
    [{frequency: 100}, {signal: false}, {native: true}, {timeline: true}].each do |setting|
      message = complaint(mode: :alloc, **setting)
      assert_match(/\A#{setting.keys.first}: .* belongs to the modes cpu and wall, not to alloc: leave it out/, message)
      assert_match(/not to custom/, complaint(mode: :custom, **setting))
    end
    assert_equal "blame: (--blame) belongs to the mode wall, not to cpu: leave it out, or choose another mode", complaint(blame: true)
    assert_match(/\Ablame: \(--blame\) belongs to the mode wall, not to alloc:/, complaint(mode: :alloc, blame: true))
    assert_equal true, keywords(mode: %i[wall alloc], blame: true)[:blame]
    assert_equal :alloc, keywords(mode: :alloc, native: false, timeline: false)[:mode]
  end

  def test_two_modes_have_the_settings_of_both
    both = keywords(mode: %w[heap wall], frequency: 99, native: true, min_age: 3)
    assert_equal [%i[heap wall], 99, 500, 3, true], %i[mode frequency interval min_age native].map { |name| both[name] }
    assert_equal [%i[cpu alloc], 1000, 7], %i[mode frequency interval].map { |name| keywords(mode: %i[cpu object], interval: 7)[name] }
    assert_predicate both, :objects?
    assert_equal [%i[cpu wall], %i[cpu wall], %i[cpu wall heap], %i[wall cpu]],
      [:both, "both", %i[both heap], %i[wall cpu]].map { |modes| keywords(mode: modes)[:mode] }
    [[], %i[both wall], %i[alloc heap], %i[cpu cpu], %i[custom alloc], %i[cpu alloc heap]].each do |modes|
      assert_equal "mode: must be one mode, or several: cpu or wall or both, and alloc or heap, not #{modes.inspect}", complaint(mode: modes)
    end
    assert_equal [:alloc, :alloc, :wall], [[:alloc], [:object], %w[wall]].map { |modes| keywords(mode: modes)[:mode] }
    assert_match(/\Amode: must be cpu, wall, .*, not nil\z/, complaint(mode: [:cpu, nil]))
    assert_match(/\Aobjects: .* belongs to the mode heap, not to cpu and alloc: /, complaint(mode: %i[cpu alloc], objects: 9))
    assert_match(/\Aaggregate: false .* mode heap/, complaint(mode: %i[cpu heap], aggregate: false))
    assert_equal false, keywords(mode: %i[cpu alloc], aggregate: false)[:aggregate]
    assert_equal %i[cpu alloc], Rperf::Options.from_env("RPERF_MODE" => "cpu, alloc")[:mode]
  end

  def test_memory_is_sampled_where_one_of_its_settings_is_given
    {malloc: true, malloc_interval: 7, native_memory: true}.each do |name, value|
      assert_equal true, keywords(mode: :alloc, name => value)[:malloc], name
      assert_match(/\A#{name}: .* belongs to the modes alloc and heap, not to cpu: /, complaint(name => value))
      assert_match(/\Amalloc: true \(--malloc\) needs the direct watch/, complaint(mode: :heap, watch: :event, name => value))
    end
    {malloc_interval: 7, native_memory: true}.each do |name, value|
      sentence = /\A#{name}: .* which malloc: false rules out: leave out one of the two\z/
      assert_match(sentence, complaint(mode: :heap, malloc: false, name => value))
    end
    assert_equal [false, false], [{}, {malloc: false, native_memory: false}].map { |given| keywords(mode: :heap, **given)[:malloc] }
    assert_match(/\Amalloc_interval: must be a whole number from 1 to 1000000000 \(bytes\), not 0\z/, complaint(mode: :heap, malloc_interval: 0))
  end

  def test_what_lives_is_watched_in_mode_heap_only
    heap = keywords(mode: :heap)
    assert_equal [500, 65_536, 1, true, true, nil], %i[interval objects min_age gc data_sizes frequency].map { |name| heap[name] }
    given = {interval: 7, objects: 2, min_age: 0, gc: false, data_sizes: false}
    assert_equal given, given.to_h { |name, _value| [name, keywords(mode: :heap, **given)[name]] }
    {objects: "--max-live", min_age: "--min-age", gc: "--no-gc", data_sizes: "--no-data-sizes"}.each do |name, flag|
      assert_match(/\A#{name}: \(#{flag}\) belongs to the mode heap, not to alloc: /, complaint(mode: :alloc, name => given[name]))
    end
    assert_match(/\Aobjects: must be a whole number from 2 to 10000000 \(objects\), not 1\z/, complaint(mode: :heap, objects: 1))
    assert_match(/\Amin_age: must be a whole number from 0 to 1000000 \(collections\), not -1\z/, complaint(mode: :heap, min_age: -1))
    assert_match(/\Aaggregate: false \(--no-aggregate\) has no meaning in mode heap/, complaint(mode: :heap, aggregate: false))
    assert_equal true, keywords(gc: true, data_sizes: true)[:gc]
  end

  def test_format_is_optional
    assert_nil keywords(format: nil)[:format]
    assert_equal :collapsed, keywords(format: :collapsed)[:format]
    assert_match(/\Aformat: must be .*pprof.*, not :pproff; did you mean 'pprof'\?\z/, complaint(format: :pproff))
  end

  def test_signal_is_a_real_time_signal_or_none
    assert_nil keywords(signal: nil)[:signal]
    assert_equal false, keywords(signal: false)[:signal]
    assert_equal 40, keywords(signal: 40)[:signal]
    [0, 9, 33, 65, "40", 40.0, true].each do |value|
      assert_match(/\Asignal: must be a real-time signal from 34 to 64/, complaint(signal: value))
    end
  end

  def test_native_functions_need_a_signal
    assert_equal true, keywords(native: true, signal: 40)[:native]
    assert_equal false, keywords(native: false, signal: false)[:native]
    sentence = "native: true (--native) needs a signal, which signal: false (--signal none) rules out: " \
      "leave out one of the two"
    assert_equal sentence, complaint(native: true, signal: false)
    assert_match(/\Anative: must be true or false/, complaint(native: "yes"))
    assert_equal true, Rperf::Options.from_env("RPERF_NATIVE" => "1")[:native]
  end

  # Sentences about several settings name what the user has set.
  VARIABLES = {
    {native: "1", signal: "none"} => "RPERF_NATIVE=1 needs a signal, which RPERF_SIGNAL=none rules out: leave out one of the two",
    {blame: "yes", mode: "wall", signal: "0"} => "RPERF_BLAME=1 needs stacks at the tick, which RPERF_SIGNAL=none rules out: leave out one of the two",
    {blame: "1"} => "RPERF_BLAME belongs to the mode wall, not to cpu: leave it out, or choose another mode",
    {objects: "9"} => "RPERF_MAX_LIVE belongs to the mode heap, not to cpu: leave it out, or choose another mode",
    {frequency: "9", mode: "alloc"} => "RPERF_FREQUENCY belongs to the modes cpu and wall, not to alloc: leave it out, or choose another mode",
    {malloc: "1", mode: "heap", watch: "event"} => "RPERF_MALLOC=1 needs the direct watch, which RPERF_WATCH=event rules out: leave out one of the two",
    {malloc: "0", mode: "heap", native_memory: "1"} =>
      "RPERF_NATIVE_MEMORY samples memory where it is taken from malloc, which RPERF_MALLOC=0 rules out: leave out one of the two",
    {aggregate: "0", mode: "heap"} => "RPERF_AGGREGATE=0 has no meaning in mode heap, where an object's sample changes until it dies: leave it out",
    {stat_report: "1"} => "RPERF_STAT_REPORT=1 needs RPERF_STAT=1: add that, or leave it out",
    {timeline: "1", output: "a.txt"} => "a file in text has no room for a timeline: write one that ends in .json, .html, .firefox.json or " \
      ".speedscope.json, name such a format (--format, format: or RPERF_FORMAT), or leave out RPERF_TIMELINE=1"
  }.freeze

  def test_variables_that_contradict_each_other_are_called_by_their_names
    VARIABLES.each do |given, sentence|
      env = given.transform_keys { |name| Rperf::Options::TABLE.fetch(name).env }
      assert_equal sentence, assert_raises(ArgumentError) { Rperf::Options.from_env(env) }.message
    end
  end

  def test_switches_are_true_or_false
    assert_equal false, keywords(aggregate: false)[:aggregate]
    assert_match(/\Averbose: must be true or false/, complaint(verbose: "yes"))
    assert_match(/\Aaggregate: must be true or false/, complaint(aggregate: nil))
  end

  def test_output_is_a_path
    assert_equal "a.txt", keywords(output: "a.txt")[:output]
    assert_equal "a.txt", keywords(output: Pathname("a.txt"))[:output]
    File.open(File::NULL) { |file| assert_equal File::NULL, keywords(output: file)[:output] }
    ["", "a\0b", "a".encode("UTF-16LE"), 3, :name, $stdout].each { |value| assert_match(/\Aoutput: must be the path of a file/, complaint(output: value)) }
  end

  def test_an_unknown_keyword_gets_a_suggestion
    assert_equal "unknown keyword: :frequencey; did you mean 'frequency'?", complaint(frequencey: 1)
    assert_equal "unknown keyword: :stat_command", complaint(stat_command: "x")
  end

  def test_which_children_are_profiled
    [true, false, :fork].each { |value| assert_equal value, keywords(inherit: value)[:inherit] }
    [nil, 1, "fork", :spawn].each { |value| assert_equal "inherit: must be true, :fork or false, not #{value.inspect}", complaint(inherit: value) }
    assert_equal [false, true, false], [keywords[:inherit], Rperf::Options.from_env({})[:inherit], Rperf::Options.from_env("RPERF_INHERIT" => "0")[:inherit]]
    error = assert_raises(ArgumentError) { Rperf::Options.from_env("RPERF_INHERIT" => "fork") }
    assert_equal "RPERF_INHERIT must be true or false (1 or 0), not \"fork\"", error.message
  end

  def test_every_keyword_has_its_variable
    env = {
      "RPERF_FREQUENCY" => "99", "RPERF_MODE" => "wall", "RPERF_SIGNAL" => "40", "RPERF_AGGREGATE" => "0",
      "RPERF_TIMELINE" => "0", "RPERF_LINES" => "0", "RPERF_NATIVE" => "1", "RPERF_BLAME" => "1", "RPERF_DEFER" => "1", "RPERF_OUTPUT" => "x.txt",
      "RPERF_FORMAT" => "text", "RPERF_VERBOSE" => "1", "RPERF_INHERIT" => "0", "RPERF_SLOW" => "0.5"
    }
    objects = {"RPERF_MODE" => "heap", "RPERF_INTERVAL" => "99", "RPERF_WATCH" => "event", "RPERF_MAX_LIVE" => "9", "RPERF_MIN_AGE" => "0", "RPERF_GC" => "0",
               "RPERF_DATA_SIZES" => "0"}
    malloc = {"RPERF_MODE" => "heap", "RPERF_MALLOC" => "1", "RPERF_MALLOC_INTERVAL" => "99", "RPERF_NATIVE_MEMORY" => "1"}
    keywords = Rperf::Options::TABLE.values.select(&:keyword)
    assert_equal (env.keys | objects.keys | malloc.keys).sort, keywords.map(&:env).sort
    assert_equal [:heap, 99, :event, nil, 9, 0, false, false],
      %i[mode interval watch frequency objects min_age gc data_sizes].map { |name| Rperf::Options.from_env(objects)[name] }
    assert_equal [true, 99, true], %i[malloc malloc_interval native_memory].map { |name| Rperf::Options.from_env(malloc)[name] }

    options = Rperf::Options.from_env(env)
    assert_equal [99, :wall, 40, false, false, true, true, "x.txt", :text, true, 0.5],
      %i[frequency mode signal aggregate lines native defer output format verbose slow].map { |name| options[name] }
  end

  # A text that makes no sense, for every variable that there is.
  WRONG = {
    frequency: "0", mode: "wal", interval: "0", watch: "both", objects: "1", min_age: "-1", gc: "2", data_sizes: "2", malloc: "2", malloc_interval: "0",
    native_memory: "2", signal: "9", aggregate: "maybe", timeline: "2", lines: "2", native: "2", blame: "2", defer: "y", output: "a\0b",
    format: "pproff", verbose: "y", slow: "0",
    enabled: "maybe", inherit: "x", stat: "x", stat_report: "x"
  }.freeze
  # Only shown: every text will do.
  FREE = %i[stat_command].freeze

  def test_every_variable_is_validated_by_the_code_of_its_keyword
    # A new setting needs a line above.
    assert_empty Rperf::Options::TABLE.keys - WRONG.keys - FREE
    WRONG.each do |name, text|
      setting = Rperf::Options::TABLE.fetch(name)
      message = assert_raises(ArgumentError, name) { Rperf::Options.from_env(setting.env => text) }.message
      assert_equal 1, message.lines.length
      value = setting.value.parse(text)
      assert_equal message.sub(setting.env, "it"), assert_raises(ArgumentError) { Rperf::Options.check(name, value, "it") }.message
      next unless setting.keyword
      message = message.sub("true or false", "true, :fork or false") if name == :inherit # No text stands for :fork.
      assert_equal without_texts(message.sub(setting.env, "#{name}:")), complaint(name => value)
    end
  end

  # Keywords take no texts for true and false, so their sentences name none.
  def without_texts(message) = message.sub(/ \((1 or 0|none)\)/, "")

  def test_a_sentence_allows_nothing_that_is_refused
    assert_equal "lines: must be true or false, not 1", complaint(lines: 1)
    assert_equal "signal: must be a real-time signal from 34 to 64, or false for samples at safepoints only, not \"none\"", complaint(signal: "none")
  end

  def test_statistics_are_those_of_wall_mode_as_with_rperf_stat
    assert_equal :wall, Rperf::Options.from_env("RPERF_STAT" => "1")[:mode]
    assert_equal :cpu, Rperf::Options.from_env("RPERF_STAT" => "1", "RPERF_MODE" => "cpu")[:mode]
    assert_equal :cpu, Rperf::Options.from_env("RPERF_STAT" => "0")[:mode]
  end

  def test_a_profile_does_not_mix_with_what_the_program_prints
    refusal = "must be the path of a file, not \"-\": stdout is the program's own; `rperf record -o -` keeps the two apart"
    assert_equal "RPERF_OUTPUT #{refusal}", assert_raises(ArgumentError) { Rperf::Options.from_env("RPERF_OUTPUT" => "-") }.message
    assert_equal "output: #{refusal}", complaint(output: "-")
    assert_equal "./-", keywords(output: "./-")[:output]
  end

  def test_the_environment_is_validated_like_the_keywords
    {
      "RPERF_FREQUENCY" => ["0", "RPERF_FREQUENCY must be a whole number from 1 to 10000 (Hz), not 0"],
      "RPERF_MODE" => ["wal", "RPERF_MODE must be cpu, wall, custom, alloc, heap or both, not 'wal'; did you mean 'wall'?"],
      "RPERF_AGGREGATE" => ["maybe", "RPERF_AGGREGATE must be true or false (1 or 0), not \"maybe\""]
    }.each do |name, (text, message)|
      assert_equal message, assert_raises(ArgumentError) { Rperf::Options.from_env(name => text) }.message
    end
    assert_match(/not "1e3"/, assert_raises(ArgumentError) { Rperf::Options.from_env("RPERF_FREQUENCY" => "1e3") }.message)
  end

  def test_an_empty_variable_is_none
    assert_equal 1000, Rperf::Options.from_env("RPERF_FREQUENCY" => "", "RPERF_MODE" => "")[:frequency]
  end

  def test_options_do_not_change
    assert_predicate keywords, :frozen?
    path = +"a.txt"
    options = keywords(output: path)
    path << "x"
    assert_equal "a.txt", options[:output]
  end
end
