# frozen_string_literal: true

require "json"
require_relative "../support/program"
require_relative "../support/spent_time"

# Equal names mean the same: what differs from process to process is not in them.
class NamesTest < Minitest::Test
  include ProgramSupport

  # Two workers, each with classes without a name and a view method as Action View makes them.
  WORKERS = <<~RUBY
    require #{SpentTime::BURNING.dump}
    2.times do
      fork do
        handler = Class.new { def call = Burning.burn(0.2) }
        view = Class.new do
          class_eval("def _app_views_posts_show_html_erb___\#{rand(10**15)}_\#{object_id} = Burning.burn(0.2)", "app/views/posts/show.html.erb")
        end
        def handler.inner = new.call
        handler.inner
        view.new.send(view.instance_methods(false).first)
      end
    end
    Process.waitall
  RUBY
  VIEW = "_app_views_posts_show_html_erb"

  def test_workers_merge
    in_directory do |directory|
      result = rperf("record", "-o", "p.json", "ruby", "-e", WORKERS, directory:)
      functions = JSON.parse(File.read(File.join(directory, "p.json")))["functions"]
      views = functions.select { |function| function["label"].end_with?(VIEW) }
      assert_equal 1, views.length, "#{result.inspect} #{functions.map { |it| it["label"] }}"
      assert_match(/#{VIEW}___\d+_\d+\z/, views.first["raw_label"])
      assert_empty functions.map { |function| function["label"] }.grep(/:0x\h+>/)
      assert_raw_name_is_kept(directory, views.first["raw_label"])
      assert_both_workers(directory)
    end
  end

  # A file of a version that did not know of this is read with the same names.
  def test_files_of_earlier_versions
    in_directory do |directory|
      label = "block in #<Class:0x00007f3a5c0d1e28>##{VIEW}__123_456"
      old = {rperf: {format: 1}, meta: {mode: "cpu"}, functions: [{label:, path: "a.erb"}], locations: [[0, 1]],
             label_sets: [{}], stacks: [[0]], samples: [[0, 1000, 1, 1, 0]]}
      path = write_file(directory, "old.json", JSON.generate(old))
      assert_equal "block in #<Class>##{VIEW}", Rperf.load(path)[:samples].first[0].first.label
      assert_equal 0, rperf("convert", "old.json", "new.json", directory:).code
      assert_equal label, JSON.parse(File.read(File.join(directory, "new.json"))).dig("functions", 0, "raw_label")
    end
  end

  private

  # In pprof as the system name, in the data, and from there in files again.
  def assert_raw_name_is_kept(directory, raw)
    pprof, saved = %w[p.pb.gz saved.pb.gz].map { |name| File.join(directory, name) }
    assert_equal 0, rperf("convert", "p.json", pprof, directory:).code
    Rperf.save(saved, Rperf.load(pprof))
    [File.join(directory, "p.json"), pprof, saved].each do |path|
      frames = Rperf.load(path)[:samples].flat_map(&:first).uniq
      assert_equal [raw], frames.map(&:raw_label).grep(/#{VIEW}/), path
      assert_includes frames.map(&:raw_label), nil
    end
  end

  # The method has time of both workers.
  def assert_both_workers(directory)
    data = Rperf.load(File.join(directory, "p.json"))
    of_view = data[:samples].select { |frames,| frames.any? { |frame| frame.label.end_with?(VIEW) } }
    assert_equal 2, of_view.map { |sample| sample[2] }.uniq.length, "the main threads of both workers"
  end
end
