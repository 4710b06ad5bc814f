# frozen_string_literal: true

require_relative "../rperf"
require_relative "control/rack_request"
require_relative "control/router"
require_relative "control/token"
require_relative "web/guard"

module Rperf
  # A Rack app that answers the requests of Rperf::Control, such as /debug/pprof/profile, below the
  # path where it is mounted. It needs no Rack itself.
  #
  #   ENDPOINTS = Rperf::Endpoints.new(permit: ->(env) { admin?(env) }, wait: true)
  #   map("/rperf") { run ENDPOINTS }      # /rperf/debug/pprof/profile?seconds=10
  class Endpoints
    # permit:     called with the Rack environment of each request; the answer is 403 if it returns
    #             nil or false
    # token_file: a file with 16 bytes or more that requests need: `Authorization: Bearer TOKEN`
    #             Without both: development only, and only requests to this machine's own names.
    # wait:       whether a request may occupy a thread of the server for its `seconds` (false)
    #
    # Raises ArgumentError for other values, and outside of development if both `permit:` and
    # `token_file:` are missing.
    def initialize(permit: nil, token_file: nil, wait: false)
      @guard = Web::Guard.new(permit, name: "Rperf::Endpoints")
      @token = Control::Token.new(token_file) if token_file
      raise ArgumentError, "Rperf::Endpoints needs permit: or token_file: outside of development" unless permit || @token || @guard.development?
      @permit = permit
      @router = Control::Router.new(Control::Terms.new(most_seconds: 60, waits: Options::Value::Truth.check(wait, "wait:"), commands: true))
    end

    # Answers a request: Rack's interface.
    def call(env)
      request = Control::RackRequest.new(env)
      answer(request, env).to_rack(head: request.head?)
    rescue Web::Refusal => refusal
      refusal.response.to_rack(head: request.head?)
    end

    private

    def answer(request, env)
      @guard.check(env) if @permit || @token.nil?
      @token&.check(request)
      @guard.check_same_site(env) unless %w[GET HEAD].include?(request.method)
      @router.call(request) { |seconds| sleep(seconds) }
    end
  end
end
