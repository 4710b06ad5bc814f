# frozen_string_literal: true

# Writes pages that the browser's tests open into a directory, by their names:
#
#   ruby -Ilib page/test/support/pages.rb DIRECTORY usual diff

require "fileutils"
require "json"
require "rperf"
require "rperf/page"
require "rperf/profile_file"
require "rperf/viewer"
require_relative "hostile"
require_relative "keeping"
require_relative "long_timeline"
require_relative "many_stacks"
require_relative "workload"

# Makes profiles and the pages that show them. The public methods are the pages, and answers of the
# viewer as JSON, by their addresses.
class Pages
  # Options of `rperf diff`: a list has its small rows, too, as the page does.
  EVERYTHING = %w[--nodefraction 0].freeze
  HEAP = File.expand_path("../../../test/golden/foreign/go_heap.pb.gz", __dir__)

  def initialize(directory)
    @directory = directory
  end

  # Real work with threads and labels.
  def usual = page("usual", record("usual"))

  # The same as it is served on this machine: with a download, and links.
  def served
    downloads = [["profile.json.gz", "profile"]]
    page("served", record("served"), local: Rperf::Page::Local.new(downloads:, editor: "edit://open{path}:{line}", repository: "https://example.org/{path}#L{line}"))
  end

  # A heap profile of Go, which has four values; and how it differs from itself.
  def heap = page("heap", HEAP)

  def heap_diff = page("heap_diff", HEAP, base: HEAP)

  # What a program keeps, every object counted: at two moments, each as a page and as JSON, and how
  # they differ, also as the terminal says it.
  def objects
    Rperf.start(mode: :heap, interval: 1)
    shop = Keeping::Shop.new
    shop.serve(200)
    snapshot = Rperf.snapshot(gc: true)
    shop.serve(300)
    before, after = {before: snapshot, after: Rperf.stop}.map { |name, data| save(name, data) }
    page("objects_before", before)
    page("objects_diff", after, base: before)
    page("objects", after)
    terminal("leaks.json", *EVERYTHING, "--leaks", before, after)
  end

  # Time and objects of one recording, as one page.
  def modes
    data = Rperf.start(mode: %i[cpu alloc], frequency: 1000, interval: 1) do
      Rperf.label(endpoint: "/shop") { Keeping::Shop.new.serve(3000) }
      Workload.run
    end
    run_rperf("report", "--html", "modes.html", *%w[cpu alloc].zip(data).map { |name, of_mode| save(name, of_mode) })
  end

  # Work in which one method takes longer, as a page and as JSON.
  def slower = page("slower", record("slower", factor: 8))

  # A comparison with work in which one method takes longer. In CPU time it is that much longer on
  # a busy machine, too.
  def diff = page("diff", cpu_time("diff_slower", factor: 8), base: cpu_time("diff_usual"))

  # What the terminal says of it, for scripts: of all, and of what filters let through.
  def diff_top
    sides = %w[diff_usual.json diff_slower.json]
    {"diff_top" => [], "diff_focus" => %w[--focus parse], "diff_label" => %w[--tagfocus endpoint=/users]}.each do |name, filters|
      terminal("#{name}.json", *EVERYTHING, "--top", *filters, *sides)
    end
  end

  # And of the values of a label.
  def diff_by = terminal("diff_by.json", "--by", "endpoint", "diff_usual.json", "diff_slower.json")

  # A comparison in which chance explains the change of one function only.
  def changed = page("changed", changes.last, base: changes.first)

  # The other way round.
  def shrunk = page("shrunk", changes.first, base: changes.last)

  # A comparison of lines: one takes longer, one takes less time, both by far.
  def grown
    base, target = [[9, 1], [1, 9]].map do |seconds|
      json("grown_#{seconds.first}", meta: {aggregated: true}, label_sets: [{}], samples: seconds.each_with_index.map { |weight, stack| [stack, weight * 10**9, weight * 1000, 1, 0] })
    end
    page("grown", target, base:)
  end

  # The same of two recordings a side.
  def several
    base, target = { "usual" => 1, "slower" => 8 }.map { |name, factor| Array.new(2) { |number| cpu_time("#{name}_#{number}", factor:) } }
    sides = base.flat_map { |path| ["--base", path] } + target
    run_rperf("diff", "--html", "several.html", *sides)
    terminal("several_top.json", *EVERYTHING, "--top", *sides)
    terminal("several_focus.json", *EVERYTHING, "--top", "--focus", "parse", *sides)
  end

  def many = page("many", file("many.collapsed") { |path| File.write(path, ManyStacks.collapsed) })

  def hostile = page("hostile", hostile_file, title: Hostile::TEXTS.join)

  def hostile_diff = page("hostile_diff", hostile_file, base: hostile_file)

  def empty = page("empty", save("empty", { mode: :cpu, aggregated_samples: [], label_sets: [{}] }))

  # Samples without time.
  def zero = page("zero", save("zero", { mode: :cpu, aggregated_samples: [[[["a.rb", "a"]], 0, 1, 0]], label_sets: [{}] }))

  # Requests with a long name.
  def requests
    work = -> { Rperf.work("GET /api/users/:name UsersController#show", kind: :request) { Workload.serve("/users", 1) } }
    page("requests", file("requests.json") { |path| Rperf.start(mode: :wall, output: path, &work) })
  end

  # Requests with long names, in a method with a long name, and a class with a very long one.
  def endpoints
    samples = ["Shop::PostsController#index", "#{"Namespace" * 5}#call"].map { |name| [[["posts.rb", name]], 1_000_000_000 / name.size, 1, 1] }
    page("endpoints", save("endpoints", { mode: :wall, aggregated_samples: samples, label_sets: [{}, {endpoint: "GET /posts/:id PostsController#index"}] }))
  end

  # A thread that sleeps, without labels.
  def asleep = page("asleep", save("asleep", { mode: :wall, aggregated_samples: [[[["<GVL>", "[GVL blocked]"], ["<C method>", "Kernel#sleep"], ["a.rb", "a"]], 1_000_000, 1, 0]], label_sets: [{}] }))

  # A thousand threads.
  def crowd
    samples = Array.new(1000) { |number| [[["a.rb", "a"]], 1_000_000, number + 1, 0] }
    page("crowd", save("crowd", { mode: :cpu, aggregated_samples: samples, label_sets: [{}] }))
  end

  # A method with a long name, in a file with one.
  def long_name = page("long_name", save("long_name", { mode: :cpu, aggregated_samples: [[[["f" * 3000, "m" * 3000]], 1_000_000, 1, 0]], label_sets: [{}] }))

  # The same work with a timeline.
  def timeline = page("timeline", record("timeline", timeline: true))

  # Threads that wait for work beside some work.
  def pool
    jobs = Queue.new
    file("pool.json") do |path|
      Rperf.start(mode: :wall, timeline: true, output: path) do
        Array.new(3) { |number| Thread.new { jobs.pop }.tap { |thread| thread.name = "idle #{number}" } }
        Workload.run
      end
      jobs.close
    end
    page("pool", File.join(@directory, "pool.json"))
  end

  # Two processes, each with a GVL of its own.
  def forked
    program = file("forked.rb") do |path|
      File.write(path, "def spin = (limit = Time.now + 0.2; nil while Time.now < limit)\n" \
                       "$0 = \"parent\"; fork { $0 = \"child\"; spin }; spin; Process.wait\n")
    end
    page("forked", example("forked", "--timeline", program:))
  end

  # A label whose value is a number with a unit.
  def unit
    meta = {aggregated: false, label_units: {body: "bytes"}}
    page("unit", json("unit", meta:, label_sets: [{}, {body: 2048}], samples: [[0, 10_000_000, 1, 1, 1]], moments_ns: [10_000_000]))
  end

  # A minute of 24 threads with a million ticks in all.
  def long = page("long", file("long.json") { |path| File.write(path, LongTimeline.json) })

  # A profile whose program is not there any more, with what was lost, a comment and a library's
  # function.
  def gone
    program = file("gone.rb") do |path|
      File.write(path, "def spin(seconds)\n  limit = Time.now + seconds\n  nil while Time.now < limit\nend\n")
    end
    load(program)
    data = Rperf.start(mode: :cpu) { spin(0.1) }
    data[:dropped] = { "buffer full" => { samples: 12, weight_ns: 3_000_000 } }
    data[:comments] = ["written by a test"]
    data[:aggregated_samples] << [[["/usr/lib/libz.so.1", "deflate"], ["<C method>", "Zlib.deflate"]], 1_000_000, 1, 0]
    FileUtils.rm(program)
    page("gone", save("gone", data))
  end

  # The example of the documents.
  def shop = page("shop", example("shop"))

  # How a smaller cache changes it, of three recordings a side: of one, chance explains nearly all.
  def shop_diff
    base, target = {before: {}, after: {CACHE: "40"}}.map { |name, environment| (1..3).map { |number| example("#{name}#{number}", **environment) } }
    run_rperf("diff", "--html", "shop_diff.html", *base.flat_map { |path| ["--base", path] }, *target)
  end

  def shop_timeline = page("shop_timeline", example("shop_timeline", "--timeline"))

  # What Rperf::Viewer answers: a list with titles of all lengths, and one without a session or a
  # snapshot.
  def viewer_list
    viewer = Rperf::Viewer.new(permit: ->(_env) { true })
    titles = ["deploy", nil, "before the import of all customers' orders of last year", "x" * 200]
    Rperf.start(mode: :wall) { titles.each { |title| viewer.take_snapshot!(title:) } && answer("viewer_list", viewer) }
  end

  # That of a heap session, and how its snapshots differ.
  def viewer_heap
    viewer = Rperf::Viewer.new(permit: ->(_env) { true })
    shop = Keeping::Shop.new
    Rperf.start(mode: :heap, interval: 1) do
      [200, 300].each { |requests| shop.serve(requests) && viewer.take_snapshot!(gc: true, title: "after #{requests}") }
      answer("viewer_heap", viewer, "/difference?target=2&base=1")
    end
  end

  def viewer_empty = answer("viewer_empty", Rperf::Viewer.new(permit: ->(_env) { true }))

  private

  ROOT = File.expand_path("../../..", __dir__)
  private_constant :ROOT

  # From the root of the checkout, so that paths are short and the same everywhere.
  def example(name, *options, program: "examples/shop.rb", **environment)
    file("#{name}.json") do |path|
      command = [RbConfig.ruby, "--disable-gems", File.join(ROOT, "exe/rperf"), "record", "-m", "wall", *options, "-o", path, RbConfig.ruby, program]
      system(environment.transform_keys(&:to_s), *command, chdir: ROOT, out: File::NULL, err: File::NULL) or raise "cannot record #{name}"
    end
  end

  def file(name) = File.join(@directory, name).tap { |path| yield path }

  def terminal(name, *words)
    file(name) { |path| run_rperf("diff", "--format", "json", *words, out: path) }
  end

  def run_rperf(*words, **options)
    system(RbConfig.ruby, "--disable-gems", File.join(ROOT, "exe/rperf"), *words, chdir: @directory, **options) or raise "rperf #{words.join(" ")} failed"
  end

  # Writes a profile of two methods, each with one line, in rperf's JSON.
  def json(name, meta:, **tables)
    functions = %w[slow fast].map { |label| {label:, path: "app.rb", start_line: 1} }
    meta = {mode: "wall", value_type: nil, frequency: 1000, start_time_ns: 1, duration_ns: 10_000_000, **meta}
    profile = {rperf: {format: 1, version: "0.10.0"}, meta:, functions:, locations: [[0, 2], [1, 7]], stacks: [[0], [1]], **tables}
    file("#{name}.json") { |path| File.write(path, JSON.generate(profile)) }
  end

  def save(name, data) = file("#{name}.json") { |path| Rperf.save(path, data) }

  def record(name, factor: 1, mode: :wall, **options)
    file("#{name}.json") { |path| Rperf.start(mode:, output: path, **options) { Workload.run(factor:) } }
  end

  def cpu_time(name, **options) = record(name, mode: :cpu, **options)

  def answer(name, app, *addresses)
    answers = ["/", *addresses].to_h do |address|
      path, query = address.split("?")
      status, headers, body = app.call("REQUEST_METHOD" => "GET", "SCRIPT_NAME" => "", "PATH_INFO" => path, "QUERY_STRING" => query.to_s)
      [address, {status:, headers:, body: body.each.to_a.join.force_encoding(Encoding::UTF_8)}]
    end
    file("#{name}.json") { |path| File.write(path, JSON.generate(answers)) }
  end

  def changes
    [100, 800].map do |slow|
      file("changed_#{slow}.collapsed") { |path| File.write(path, "main;slow;inner #{slow}\nmain;same #{300 + (slow / 100)}\n") }
    end
  end

  def hostile_file = save("hostile", Hostile.data)

  def page(name, path, base: nil, title: File.basename(path), local: nil)
    profile, other = [path, base].map { |from| from && Rperf::ProfileFile.new(from).profile }
    if other
      other, profile = Rperf::ProfileFile.compare([other], [profile])
      profile, other = profile.without_idle(other) # as in `rperf diff`
    end
    # Source files of examples have paths from the root.
    profile, other = [profile, other].map { |one| one && Rperf::Formats.shown(one, Rperf::Formats::PAGE) }
    html = Dir.chdir(ROOT) { Rperf::Page.new(profile, base: other, title:, local:).html }
    file("#{name}.html") { |to| File.write(to, html) }
  end
end

directory, *names = ARGV
names.each { |name| Pages.new(directory).public_send(name) }
