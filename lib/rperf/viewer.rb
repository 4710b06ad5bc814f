# frozen_string_literal: true

require_relative "../rperf"
require_relative "web/guard"
require_relative "web/response"
require_relative "viewer/form"
require_relative "viewer/list"
require_relative "viewer/shelf"

module Rperf
  # A Rack app for programs that do not end. It shows snapshots of the running session, and the
  # difference of two, in the browser. It needs no Rack itself, keeps the snapshots in the memory of
  # its process, and may be mounted anywhere, or used as middleware:
  #
  #   use Rperf::Viewer, permit: ->(env) { admin?(env) }            # answers /rperf and /rperf/...
  #   PROFILES = Rperf::Viewer.new(permit: ->(env) { admin?(env) }) # map("/rperf") { run PROFILES }
  #   PROFILES.take_snapshot!(clear: true, title: "after the import")
  #
  # Without `permit:` it answers only in development, and only requests to this machine's own names.
  class Viewer
    # Paths below the place where the viewer is mounted, with the method for each HTTP method.
    ROUTES = {
      %r{\A/?\z} => {"GET" => :list},
      %r{\A/snapshots\z} => {"POST" => :take},
      %r{\A/snapshots/(\d{1,15})\z} => {"GET" => :show},
      %r{\A/snapshots/(\d{1,15})\.(pb|json)\.gz\z} => {"GET" => :download},
      %r{\A/difference\z} => {"GET" => :compare}
    }.freeze

    # Default path of the middleware.
    PATH = "/rperf"

    class << self
      # The viewer that was made last, for code that has not made it (`use Rperf::Viewer`); nil
      # before.
      attr_reader :instance

      # Makes a viewer, which becomes the `instance`.
      def new(...) = @instance = super
    end
    @instance = nil

    # app:           the wrapped application; nil: the viewer is mounted and answers every request
    # path:          path at which the middleware answers, such as "/rperf"
    # max_snapshots: maximum number of snapshots, 1 or more; a new one replaces the oldest (24)
    # permit:        called with the Rack environment of each request; the answer is 403 if it
    #                returns nil or false. nil: development only
    # editor, repository: the address of a line, with `{path}` and `{line}`, to which pages link
    #   (RPERF_EDITOR, RPERF_REPOSITORY). With `permit:` there is no link to the editor, since pages
    #   for other people must not say where files lie.
    #
    # Raises ArgumentError for other values.
    def initialize(app = nil, path: PATH, max_snapshots: Shelf::DEFAULT_SIZE, permit: nil,
      editor: ENV["RPERF_EDITOR"], repository: ENV["RPERF_REPOSITORY"])
      @app = app
      @path = checked_path(path) if app
      @shelf = Shelf.new(max_snapshots)
      @guard = Web::Guard.new(permit, name: "Rperf::Viewer")
      @links = {editor: permit ? nil : editor, repository:, paths: permit.nil?}
      Page::Local.new(**@links)
    end

    # Keeps a snapshot of the running session (see Rperf.snapshot for `clear` and `gc`), with a
    # title for people. Returns its number (with several modes an Array: each mode has its own
    # snapshot), or nil if no session runs. Raises Rperf::Error and ArgumentError like
    # Rperf.snapshot.
    def take_snapshot!(clear: false, gc: false, title: nil)
      Options::Value::Truth.check(clear, "clear:")
      gc = Options.check(:gc, gc, "gc:")
      numbers = Native.own_work { Recording.snapshot(clear:, gc:)&.map { |profile| @shelf.add(profile, title) } }
      numbers&.one? ? numbers.first : numbers
    end

    # Keeps a snapshot that Rperf.snapshot or Rperf.stop returned. Returns its number. Raises
    # ArgumentError if `data` is no data Hash.
    def add_snapshot(data, title: nil)
      Encoder.check(data)
      Native.own_work { @shelf.add(Native::Profile.from_h(data), title) }
    end

    # Answers a request: Rack's interface.
    def call(env)
      return respond(env) unless @app
      path = env["PATH_INFO"].to_s
      return @app.call(env) unless path == @path || path.start_with?("#{@path}/")
      respond({**env, "SCRIPT_NAME" => "#{env["SCRIPT_NAME"]}#{@path}", "PATH_INFO" => path.delete_prefix(@path)})
    end

    private

    def checked_path(path)
      checked = path.to_s.chomp("/")
      return checked if checked.start_with?("/")
      raise ArgumentError, "path: must begin with a slash and name a place of its own, such as #{PATH}, not #{Error.shown(path)}"
    end

    def respond(env)
      head = env["REQUEST_METHOD"] == "HEAD"
      answer(env).to_rack(head:)
    rescue Web::Refusal => refusal
      refusal.response.to_rack(head:)
    end

    def answer(env)
      @guard.check(env)
      methods, number, format = route(env["PATH_INFO"].to_s)
      action = methods[env["REQUEST_METHOD"] == "HEAD" ? "GET" : env["REQUEST_METHOD"]] or raise Web::Refusal.wrong_method(methods.keys)
      Native.own_work { send(action, env, number, format) }
    end

    def route(path)
      ROUTES.each do |pattern, methods|
        found = pattern.match(path.b) # It may be no text.
        return [methods, *found.captures] if found
      end
      raise Web::Refusal.new(404, "there is nothing here")
    end

    def list(env, *)
      page = List.new(@shelf.to_a, root: env["SCRIPT_NAME"].to_s, running: Rperf.running?, heap: Recording.heap?)
      Web::Response.new(200, List::HEADERS, page.html)
    end

    def take(env, *)
      @guard.check_same_site(env)
      form = Form.read(env)
      taken = take_snapshot!(clear: form.key?("clear"), gc: form.key?("gc"), title: form["title"])
      raise Web::Refusal.new(409, "no session runs in this process: start one with Rperf.start") unless taken
      Web::Response.new(303, {**Web::Headers::COMMON, "location" => "#{env["SCRIPT_NAME"]}/"}, "")
    rescue Rperf::Error => error
      raise Web::Refusal.new(409, error.message)
    end

    def show(_env, number, _)
      local = Page::Local.new(downloads: [["#{number}.json.gz", "profile"]], **@links)
      Web::Response.new(200, Web::Headers::PAGE, snapshot(number).html(local))
    end

    def compare(env, *)
      base, target = Form.query(env).values_at("base", "target").map { |number| chosen(number) }
      raise Web::Refusal.new(400, "the snapshot #{base.number} does not differ from itself: choose two") if base == target
      local = Page::Local.new(downloads: {base:, target:}.map { |name, one| ["snapshots/#{one.number}.json.gz", name.to_s] }, **@links)
      Web::Response.new(200, Web::Headers::PAGE, target.html(local, base:))
    rescue Rperf::Error => error
      raise Web::Refusal.new(409, error.message)
    end

    def chosen(number)
      return snapshot(number) if number&.match?(/\A\d{1,15}\z/)
      raise Web::Refusal.new(400, "base and target are the numbers of two snapshots: choose both in the list")
    end

    def download(_env, number, format)
      snapshot = snapshot(number)
      content = format == "json" ? snapshot.packed : snapshot.pprof
      Web::Response.new(200, Web::Headers.download("rperf-#{number}.#{format}.gz"), content)
    end

    def snapshot(number)
      @shelf[number.to_i] or raise Web::Refusal.new(404, "there is no snapshot #{number}: it may have had to make room for a newer one")
    end
  end
end
