# frozen_string_literal: true

require_relative "../../support/test_helper"
require_relative "../../support/paths"
require_relative "../../support/subprocess"

# Sessions without a timer: a test says when a tick comes. Nothing here depends on time.
module ManualSession
  Native = Rperf::Native
  OPTIONS = {frequency: 1000, mode: :cpu, signal: nil, aggregate: true, lines: true, manual: true}.freeze

  def teardown
    Native.stop
    super
  end

  # Runs the block in a session. Returns the data.
  def session(**options)
    Rperf::LayoutProof.ensure
    Native.start(**OPTIONS, **options)
    yield
    stop
  ensure
    Native.stop
  end

  # How many frames a session has when this has run so many times, and when it has run so many times
  # more, ...; and its data.
  def frames_of(run, *counts, **options)
    frames = []
    data = session(**options) do
      frames = counts.map do |count|
        count.times { run.call }
        Native.table_sizes.fetch("frames")
      end
    end
    [*frames, data]
  end

  # The data of the session that ends, or nil when none ran.
  def stop = Native.stop&.to_h

  # The data of the session so far, or nil when none runs.
  def snapshot(clear) = Native.snapshot(clear)&.to_h

  # The labels of a sample, the leaf first.
  def labels(sample) = sample[0].map { |_path, label| label }

  # All stacks of a profile as labels, the leaf first.
  def stacks(data) = data[:samples].map { |sample| labels(sample) }

  # The samples whose innermost frames have these labels.
  def samples_at(data, *leaf) = data[:samples].select { |sample| labels(sample).first(leaf.length) == leaf }

  # Exactly one stack begins, at the leaf, with these labels. Returns its sample.
  def assert_leaf(data, *leaf)
    found = samples_at(data, *leaf)
    assert_equal 1, found.length, "#{leaf.inspect} in #{stacks(data).map { |stack| stack.first(6) }.inspect}"
    found.first
  end

  # Ticks of a profile; the time open at the end counts as one.
  def count(samples) = samples.sum(&:count)

  # Runs Ruby code in a process of its own, with rperf loaded and without RubyGems. Returns what it
  # printed.
  def ruby(code, *flags, env: {})
    removed = ENV.keys.grep(/\A(RPERF_|RUBYOPT|RUBYLIB)/).to_h { |name| [name, nil] }
    command = [Paths::RUBY, "--disable-gems", *flags, "-W0", "-I", Paths::LIB, "-r", "rperf", "-e", code]
    result = Subprocess.run(*command, env: removed.merge(env))
    assert_predicate result, :success?, result.report
    result.stdout
  end
end
