# frozen_string_literal: true

require_relative "../web/loopback"
require_relative "../web/response"

module Rperf
  class Viewer
    # Who may look. Profiles tell how a program works and, by labels, what it does for whom: when in
    # doubt, no one.
    class Guard
      # permit: see Viewer. Raises ArgumentError.
      def initialize(permit)
        unless permit.nil? || permit.respond_to?(:call)
          raise ArgumentError, "permit: must be a lambda that is called with the request's environment, not #{permit.inspect}"
        end
        @permit = permit
      end

      # Raises Web::Refusal when the request is not permitted.
      def check(env)
        @permit ? check_permit(env) : check_development(env)
      end

      # Raises Web::Refusal when another site's page makes the browser send this request. Browsers
      # say where a request comes from; programs that say nothing are no browsers and carry no
      # user's cookies.
      def check_same_site(env)
        site, origin = env.values_at("HTTP_SEC_FETCH_SITE", "HTTP_ORIGIN")
        return if site ? %w[same-origin none].include?(site) : origin.nil? || same?(origin, env["HTTP_HOST"])
        raise Web::Refusal.new(403, "this request comes from a page of another site")
      end

      private

      def check_permit(env)
        raise Web::Refusal.new(403, "Rperf::Viewer does not permit this request") unless @permit.call(env)
      end

      def check_development(env)
        unless environment == "development"
          raise Web::Refusal.new(403, "Rperf::Viewer answers in development only, unless a permit: lambda says yes")
        end
        host = env["HTTP_HOST"]
        return if host.nil? || Web::Loopback.host?(host) # Every browser names a host.
        raise Web::Refusal.new(403, "Rperf::Viewer answers requests to localhost only, unless a permit: lambda says yes")
      end

      # Rails' own word counts most. Nothing set is not development.
      def environment
        return ::Rails.env.to_s if defined?(::Rails) && ::Rails.respond_to?(:env)
        ENV["RAILS_ENV"] || ENV["RACK_ENV"]
      end

      def same?(origin, host) = origin.match?(%r{\Ahttps?://}) && origin.sub(%r{\Ahttps?://}, "").casecmp?(host.to_s)
    end
    private_constant :Guard
  end
end
