# frozen_string_literal: true

require_relative "loopback"
require_relative "response"

module Rperf
  module Web
    # Decides which requests may see profiles. Profiles tell how a program works and, by labels,
    # what it does for whom: in doubt a request is refused.
    class Guard
      # permit: see Viewer; name: name of the app, for sentences. Raises ArgumentError.
      def initialize(permit, name:)
        unless permit.nil? || permit.respond_to?(:call)
          raise ArgumentError, "permit: must be a lambda that is called with the request's environment, not #{Error.shown(permit)}"
        end
        @permit = permit
        @name = name
      end

      # Raises Refusal when the request is not permitted.
      def check(env)
        @permit ? check_permit(env) : check_development(env)
      end

      # Raises Refusal when another site's page makes the browser send this request. Browsers say
      # where a request comes from. Programs that do not say it are no browsers and carry no user's
      # cookies.
      def check_same_site(env)
        site, origin = env.values_at("HTTP_SEC_FETCH_SITE", "HTTP_ORIGIN")
        return if site ? %w[same-origin none].include?(site) : origin.nil? || same?(origin, env["HTTP_HOST"])
        raise Refusal.new(403, "this request comes from a page of another site")
      end

      # Whether the environment of the program is development.
      def development? = environment == "development"

      private

      def check_permit(env)
        raise Refusal.new(403, "#{@name} does not permit this request") unless @permit.call(env)
      end

      def check_development(env)
        unless development?
          raise Refusal.new(403, "#{@name} answers in development only, unless a permit: lambda says yes")
        end
        host = env["HTTP_HOST"]
        return if host.nil? || Loopback.host?(host) # Every browser names a host.
        raise Refusal.new(403, "#{@name} answers requests to localhost only, unless a permit: lambda says yes")
      end

      # The environment. Rails' own has priority. Where nothing is set it is not development.
      def environment
        return ::Rails.env.to_s if defined?(::Rails) && ::Rails.respond_to?(:env)
        ENV["RAILS_ENV"] || ENV["RACK_ENV"]
      end

      def same?(origin, host) = origin.match?(%r{\Ahttps?://}) && origin.sub(%r{\Ahttps?://}, "").casecmp?(host.to_s)
    end
  end
end
