# frozen_string_literal: true

require_relative "../../rperf/middleware/routes"

class Roda
  module RodaPlugins
    # Gives Rperf::Middleware the routes of requests: a routing tree has no list of its routes.
    #
    #   class App < Roda
    #     plugin :rperf
    #
    #     route do |r|
    #       r.on("posts", String) { |slug| r.get("comments", Integer) { |id| "..." } } # "GET /posts/:id/comments/:id"
    #     end
    #   end
    module Rperf
      # Notes the route that the request has matched so far, in the words of its matchers.
      module RequestMethods
        private

        def if_match(matchers)
          path = @remaining_path
          super do |*captures|
            note_route(path, matchers)
            yield(*captures)
          end
        end

        # The branch has consumed the part of `path` that is no longer in the remaining path. A part
        # before `path` that was consumed without a matcher (hash_branches) is literal.
        def note_route(path, matchers)
          @route ||= route_so_far
          @noted ||= _remaining_path(env)
          literal, taken = between(@noted, path), between(path, @noted = @remaining_path)
          @route += literal + worded(taken, matchers)
          env[::Rperf::Middleware::Routes::KEY] = @route
          env[::Rperf::Middleware::Routes::REST] = @remaining_path
        end

        # Each matcher of literal text takes as many segments as it has, and one of a class or a
        # symbol takes one. Other matchers take any number: then a segment that equals a literal one
        # is taken for it.
        def worded(taken, matchers)
          segments = taken.scan(%r{[^/]+})
          literals = matchers.flatten.grep(String).flat_map { |matcher| segments_of(matcher) }
          words = matchers.flat_map { |matcher| segments_of(matcher) }
          words = segments.map { |segment| segment if literals.include?(segment) } if words.length != segments.length
          taken.gsub(%r{[^/]+}) { |segment| words.shift == segment ? segment : ":id" }
        end

        # The segments that a matcher takes, nil for those that it leaves open.
        def segments_of(matcher)
          case matcher
          when String then matcher.scan(%r{[^/]+})
          when Class, Symbol then [nil]
          else []
          end
        end

        def between(path, rest) = path[0, [path.length - rest.length, 0].max]

        # A mounted application continues the route of the application that has mounted it.
        def route_so_far
          mount = env["SCRIPT_NAME"]
          mounted = env[::Rperf::Middleware::Routes::KEY] unless mount.empty?
          mounted || "#{env["REQUEST_METHOD"]} #{mount}"
        end
      end
    end

    register_plugin(:rperf, Rperf)
  end
end
