# frozen_string_literal: true

require "net/http"
require_relative "../support/program"

# `rperf report` and `rperf diff` with their page: served, opened in a browser, and as a file.
class ReportPageTest < Minitest::Test
  include ProgramSupport

  GOLDEN = File.join(ROOT, "test", "golden")
  FIB, MIXED = %w[fib.pb mixed.json].map { |name| File.join(GOLDEN, name) }
  NO_SCREEN = {"DISPLAY" => nil, "WAYLAND_DISPLAY" => nil, "BROWSER" => nil}.freeze
  ADDRESS = %r{\Ahttp://127\.0\.0\.1:\d+/\w{32}/\n\z}

  # Starts `rperf` with these words, yields the address of the page, and ends it by Ctrl-C.
  def serving(*words, directory:, env: NO_SCREEN)
    running = launch_rperf(*words, directory:, env:)
    running.await_output("/\n")
    assert_match ADDRESS, running.out
    yield URI(running.out.chomp), running
    running.signal("INT")
    result = running.finish
    assert_equal 0, result.code, result.inspect
    result
  end

  def fetch(uri) = Net::HTTP.get_response(uri)

  # The text of a file, once somebody has written it.
  def await_file(path)
    await(path) { File.size?(path) }
    File.read(path)
  end

  # A browser that notes its arguments and what it gets.
  def fake_browser(directory, name)
    write_file(directory, name, <<~SH)
      #!/bin/sh
      for address; do :; done
      curl -s -o "#{directory}/seen.part" "$address"
      echo "$@" >"#{directory}/arguments"
      mv "#{directory}/seen.part" "#{directory}/seen"
    SH
  end

  def test_it_serves_the_page_until_ctrl_c
    in_directory do |directory|
      result = serving("report", FIB, directory:) do |uri, _|
        response = fetch(uri)
        assert_equal "200", response.code
        assert_includes response.body, "<title>#{FIB}"
        assert_includes response.body, "Object#fib"
        assert_equal "404", fetch(URI.join(uri, "/")).code
      end
      assert_equal ["rperf: showing '#{FIB}' until Ctrl-C at", "rperf: no browser could be opened: open the address yourself"],
                   result.err.lines(chomp: true)
    end
  end

  def test_the_profile_can_be_had_from_the_page
    in_directory do |directory|
      serving("report", "--no-browser", MIXED, directory:) do |uri, _|
        assert_includes fetch(uri).body, '"downloads":[["profile.json.gz","profile"]]'
        write_file(directory, "got.json.gz", fetch(URI.join(uri, "profile.json.gz")).body)
      end
      got, expected = ["got.json.gz", MIXED].map { |file| rperf("report", "--top", file, directory:).out.lines.grep(/%.*#/) }
      refute_empty got
      assert_equal expected, got
      serving("diff", "--no-browser", FIB, FIB, directory:) do |uri, _|
        %w[base target].each { |name| assert_equal "200", fetch(URI.join(uri, "#{name}.json.gz")).code }
      end
    end
  end

  def test_links_are_in_the_served_page_and_in_no_file
    editor, repository = "vscode://file{path}:{line}", "https://example.org/{path}#L{line}"
    in_directory do |directory|
      serving("report", "--no-browser", "--editor", editor, FIB, directory:, env: {**NO_SCREEN, "RPERF_REPOSITORY" => repository, "RPERF_EDITOR" => "other://{path}"}) do |uri, _|
        assert_includes fetch(uri).body, %("editor":"#{editor}","repository":"#{repository}")
      end
      result = rperf("report", "--html", "-", FIB, directory:, env: {"RPERF_EDITOR" => editor, "RPERF_REPOSITORY" => repository})
      assert_equal 0, result.code, result.err
      assert_includes result.out, '"local":null'
      refute_includes result.out, "example.org"
    end
  end

  def test_a_link_that_is_no_address_is_refused
    in_directory do |directory|
      %w[vscode {path} javascript://{path}].each do |link|
        result = rperf("report", "--no-browser", "--repository", link, FIB, directory:)
        assert_equal 2, result.code, result.err
        assert_equal ["rperf: --repository (repository:, RPERF_REPOSITORY) takes the address of a line, such as vscode://file{path}:{line} or " \
                      "https://github.com/me/app/blob/main/{path}#L{line}, not '#{link}'"], result.err.lines(chomp: true).first(1)
      end
    end
  end

  def test_a_difference
    in_directory do |directory|
      result = serving("diff", "--no-browser", "--normalise", FIB, FIB, directory:) do |uri, _|
        assert_includes fetch(uri).body, "<title>#{FIB} compared with #{FIB}"
      end
      assert_equal "rperf: showing '#{FIB} compared with #{FIB}' until Ctrl-C at\n", result.err
    end
  end

  def test_the_default_file_and_what_the_rest_of_the_command_line_says
    in_directory do |directory|
      FileUtils.cp(FIB, File.join(directory, "rperf.data"))
      serving("report", "--no-browser", directory:) { |uri, _| assert_includes fetch(uri).body, "<title>rperf.data" }
    end
  end

  def test_browser_names_the_browser
    in_directory do |directory|
      browser = fake_browser(directory, "my browser")
      {"no-such-browser:'#{browser}' --new" => "--new %s", "'#{browser}'" => "%s"}.each do |value, arguments|
        serving("report", FIB, directory:, env: {**NO_SCREEN, "BROWSER" => value}) do |uri, _|
          assert_includes await_file(File.join(directory, "seen")), "Object#fib"
          assert_equal arguments.sub("%s", uri.to_s), File.read(File.join(directory, "arguments")).chomp
        end
        FileUtils.rm(File.join(directory, "seen"))
      end
    end
  end

  def test_a_place_for_the_address_in_browser
    in_directory do |directory|
      note = write_file(directory, "note", "#!/bin/sh\necho \"$@\" >#{directory}/words.part; mv #{directory}/words.part #{directory}/words\n")
      serving("report", FIB, directory:, env: {**NO_SCREEN, "BROWSER" => "#{note} --url=%s --end"}) do |uri, _|
        assert_equal "--url=#{uri} --end\n", await_file(File.join(directory, "words"))
      end
    end
  end

  def test_the_desktop_s_browser
    in_directory do |directory|
      fake_browser(directory, "bin/xdg-open")
      fake_browser(directory, "bin/open")
      env = {**NO_SCREEN, "DISPLAY" => ":0", "PATH" => "#{directory}/bin:#{clean_environment["PATH"]}"}
      result = serving("report", FIB, directory:, env:) do |uri, _|
        assert_includes await_file(File.join(directory, "seen")), "Object#fib"
        assert_equal "#{uri}\n", File.read(File.join(directory, "arguments"))
      end
      refute_includes result.err, "no browser"
    end
  end

  def test_a_browser_that_fails
    in_directory do |directory|
      serving("report", FIB, directory:, env: {**NO_SCREEN, "BROWSER" => "false"}) do |uri, running|
        assert_equal "200", fetch(uri).code
        running.await("no browser could be opened: open the address yourself\n") { running.err }
      end
    end
  end

  def test_ctrl_c_spares_the_browser
    in_directory do |directory|
      browser = write_file(directory, "browser", "#!/bin/sh\necho $$ >#{directory}/pid.part; mv #{directory}/pid.part #{directory}/pid; read line <#{directory}/go; echo done >#{directory}/end\n")
      File.mkfifo(File.join(directory, "go"))
      running = launch_rperf("report", FIB, directory:, env: {**NO_SCREEN, "BROWSER" => browser}, group: true)
      running.await_output("/\n")
      await_file(File.join(directory, "pid"))
      running.signal("INT", to: -running.pid)
      assert_equal 0, running.finish.code
      File.write(File.join(directory, "go"), "on\n")
      assert_equal "done\n", await_file(File.join(directory, "end"))
    end
  end

  def test_a_file_instead
    in_directory do |directory|
      result = rperf("report", "--html", "page.html", FIB, directory:)
      assert_equal [0, "", "rperf: wrote page.html: open it in a browser\n"], [result.code, result.out, result.err]
      page = File.read(File.join(directory, "page.html"))
      assert page.start_with?("<!doctype html>"), page[0, 80]
      assert_includes page, "Object#fib"
      assert_empty page.scan(/(?:src|href)=["']?https?:/), "it loads nothing"
      assert_equal 0, rperf("report", "--html=page.html", MIXED, directory:).code, "a page may be replaced"
      assert_equal ["page.html"], Dir.children(directory).reject { |name| name.start_with?(".std") }
    end
  end

  def test_filters_and_several_files
    in_directory do |directory|
      write_file(directory, "one", "<main>;parse;scan 5000000\n<main>;render 3000000\n")
      write_file(directory, "two", "<main>;write 2000000\n")
      result = rperf("report", "--html", "page.html", "--ignore", "render", "--focus", "nobody|main", "one", "two", directory:)
      assert_equal 0, result.code, result.inspect
      page = File.read(File.join(directory, "page.html"))
      assert_equal "[5000000,2000000]", page[/"weight":(\[[^\]]*\])/, 1]
      refute_includes page, '"render"', "what was ignored is not handed on with the page"
      assert_includes page, '"write"'
      result = rperf("report", "--html", "page.html", "--focus", "nobody", "one", directory:)
      assert_includes result.err, "rperf: --focus matches nothing in 'one'\n"
      result = rperf("report", "--html", "page.html", "--focus", "(", "one", directory:)
      assert_equal 2, result.code
      assert_match(/\Arperf: [^\n]*--focus[^\n]*\n\z/, result.err)
    end
  end

  def test_the_modes_of_a_recording_are_one_page
    in_directory do |directory|
      rperf("record", "-m", "cpu,alloc", "-i", "1", "-o", "p.json", "ruby", "-e", "class Screw; end; 50_000.times { Screw.new }", directory:)
      files = %w[p.cpu.json p.alloc.json p.cpu.json]
      result = rperf("report", "--html", "page.html", *files, directory:)
      assert_equal 0, result.code, result.inspect
      modes = File.read(File.join(directory, "page.html")).scan(/<script[^>]* data-mode="(\w+)"|<script data-mode="(\w+)"/).flatten.compact
      assert_equal %w[cpu alloc], modes
      serving("report", *files, directory:) do |uri, _|
        names = %w[profile cpu alloc].select { |name| fetch(URI.join(uri, "#{name}.json.gz")).code == "200" }
        assert_equal %w[cpu alloc], names
      end
      result = rperf("report", "--top", *files, directory:)
      assert_equal 1, result.code
    end
  end

  def test_a_difference_as_a_file
    in_directory do |directory|
      assert_equal 0, rperf("diff", FIB, FIB, "--html", "diff.html", directory:).code
      assert_includes File.read(File.join(directory, "diff.html")), "compared with"
    end
  end

  def test_the_page_on_stdout
    in_directory do |directory|
      results = %w[- /dev/stdout].map { |name| rperf("report", "--html", name, FIB, directory:) }
      results.each { |result| assert_equal [0, ""], [result.code, result.err] }
      assert results.first.out.start_with?("<!doctype html>")
      assert_equal results.first.out, results.last.out
    end
  end

  def test_stdout_is_a_file_that_has_something_already
    in_directory do |directory|
      write_file(directory, "log", "before\n")
      script = "\"$0\" \"$1\" report --html - \"$2\" >>log && echo behind >>log"
      assert_equal 0, run_program("bash", "-c", script, RUBY, RPERF, FIB, directory:).code
      log = File.read(File.join(directory, "log"))
      assert log.start_with?("before\n<!doctype html>"), log[0, 80]
      assert log.end_with?("</html>\nbehind\n"), log[-80..]
    end
  end

  def test_a_table_and_a_file_in_one_run
    in_directory do |directory|
      result = rperf("report", "--top", "--html", "page.html", FIB, directory:)
      assert_equal 0, result.code
      assert_includes result.out, "flat%"
      assert_path_exists File.join(directory, "page.html")
    end
  end

  # { words => [status, what rperf says] }
  def mistakes
    {
      ["report", "--html", "rperf.data"] => [2, "'rperf.data' holds a profile, which '--html rperf.data' would overwrite: name another file for the page"],
      ["report", "--html", "none/page.html"] => [1, /cannot write '.*\/none\/page.html': the directory '.*\/none' does not exist/],
      ["report", "--html", "."] => [1, /cannot write '.*': it is a directory; name a file/],
      ["report", "--html", ""] => [2, "--html must be the path of a file, not \"\""],
      ["report", "--html"] => [2, "option '--html' needs a value: --html FILE"],
      ["report", "--html", "page.html", "--pprof"] => [2, "--html writes rperf's own page: leave out --html or --pprof"],
      ["report", "missing"] => [1, "cannot read 'missing': there is no such file"],
      ["report", "--html", "page.html", "missing"] => [1, "cannot read 'missing': there is no such file"],
      ["diff", "--html", "page.html", FIB, MIXED] => [1, /cannot compare '.*' and '.*': the profiles measure different things/]
    }
  end

  def test_mistakes
    in_directory do |directory|
      FileUtils.cp(FIB, File.join(directory, "rperf.data"))
      mistakes.each do |words, (status, sentence)|
        result = rperf(*words, directory:, env: NO_SCREEN)
        assert_equal [status, ""], [result.code, result.out], words.inspect
        assert_match(/\Arperf: [^\n]+\n\z/, result.err)
        sentence.is_a?(Regexp) ? assert_match(sentence, result.err) : assert_equal("rperf: #{sentence}\n", result.err)
        refute_path_exists File.join(directory, "page.html")
      end
      assert_equal File.binread(FIB), File.binread(File.join(directory, "rperf.data"))
    end
  end
end
