# frozen_string_literal: true

require_relative "../absolute_path"
require_relative "../control/settings"

module Rperf
  class Railtie < ::Rails::Railtie
    # The checked settings of `config.rperf`. Texts stand for values as they do in the environment,
    # so that a setting may come from there: `config.rperf.enabled = ENV["PROFILE"]`.
    class Settings
      # Parts that set labels, unless the setting of that name is false.
      LABELS = %i[middleware active_job sidekiq].freeze
      # Variables that start a part which has sessions, or lets others begin one.
      PARTS = %w[RPERF_CONTROL RPERF_LISTEN RPERF_RECORDER].freeze
      # Positions of rperf's middleware relative to another one.
      PLACES = %i[before after].freeze
      # Keywords of Rperf.start, including `inherit`.
      SESSION = Options::TABLE.values.select(&:keyword).map(&:name).freeze
      # Names of all settings.
      NAMES = [:enabled, :control, :agent, :recorder, :traces, *LABELS, *SESSION].freeze
      # Defaults that differ from Rperf.start; the output is below the root of the application.
      DEFAULTS = {output: "tmp/rperf.pb.gz", inherit: true}.freeze

      # given: the settings by name; root: the directory of the application
      # Raises ArgumentError with one sentence for a wrong name or value.
      def initialize(given, root:, env: ENV)
        @given = without_empty(given.to_h)
        @by_environment = Options::Value::Truth.parse(env.fetch("RPERF_ENABLED", "")) == true
        # "Not enabled" means that no session begins. A session that has begun, that of `rperf
        # record`, still has its labels.
        @enabled = truth(:enabled, default: false) || @by_environment
        @parts_by_environment = PARTS.any? { |name| !["", false].include?(Options::Value::Truth.parse(env.fetch(name, ""))) }
        @push_url = env["RPERF_PUSH_URL"].to_s
        @root = root.to_s
        @control = Control::Settings.from_config(@given[:control], subject(:control))
        @agent = agent_options
        @recorder = recorder_options
        check if active?
      end

      # Returns whether rperf does anything: sessions started from outside have labels, too.
      def active? = @enabled || @parts_by_environment || [@control, @agent, @recorder].any? || traces?

      # Keywords for Control.start; nil if the process does not listen.
      attr_reader :control

      # Returns the Options of the session to begin; nil if there is none, or if the environment has
      # begun one already.
      def session
        Options.new(@session) if @enabled && !@by_environment
      end

      # Keywords for Rperf::Agent.start, and :everywhere; nil without a destination. With
      # RPERF_PUSH_URL alone the agent runs in every process.
      attr_reader :agent

      # Keywords for Rperf::Recorder.start, and :everywhere; nil without a recorder.
      attr_reader :recorder

      # Returns whether requests are labelled.
      def middleware? = @middleware != false

      # Returns the keywords for Rperf::Middleware. If it is the first middleware of all, requests
      # are labelled from Puma's handler on.
      def middleware_options = {server: place.empty?}.merge(given_middleware.except(*PLACES))

      # Returns the place of the middleware: [:insert_before, 0], the first of all, unless the
      # settings name another middleware.
      def middleware_place
        raise ArgumentError, "before: and after: were both given; leave one out" if place.size > 1
        way, other = place.first || [:before, 0]
        return [:"insert_#{way}", other] if other.is_a?(Module) || other.is_a?(Integer)
        raise ArgumentError, "#{way}: must be the class of a middleware, or a position, not #{Error.shown(other)}"
      end

      # Returns whether jobs of Active Job are labelled.
      def active_job? = truth(:active_job, default: true)

      # Returns whether Sidekiq's jobs are labelled.
      def sidekiq? = truth(:sidekiq, default: true)

      # Returns whether samples are linked to OpenTelemetry's spans.
      def traces? = truth(:traces, default: false)

      private

      def place = given_middleware.slice(*PLACES)

      def given_middleware = @middleware.is_a?(Hash) ? @middleware : {}

      def check
        @given.each_key { |name| unknown(name) unless NAMES.include?(name) }
        @middleware = @given[:middleware].is_a?(Hash) ? @given[:middleware] : truth(:middleware, default: true)
        active_job?
        sidekiq?
        traces?
        @session = DEFAULTS.merge(@given.slice(*SESSION)).to_h { |name, value| [name, option(name, value)] }
        @session[:output] = AbsolutePath.of(@session[:output], @root)
      end

      def option(name, value)
        value.is_a?(String) ? Options.parse(name, value, subject(name)) : Options.check(name, value, subject(name))
      end

      def agent_options
        agent = @given[:agent] or return ({everywhere: true} unless @push_url.empty?)
        # The value is not shown: an address may have a password.
        raise ArgumentError, "config.rperf.agent must be a Hash, such as {push: ENV[\"RPERF_PUSH_URL\"]}, not a value of #{agent.class}" unless agent.is_a?(Hash)
        agent = agent.transform_keys(&:to_sym)
        without_empty(agent) if Array(agent.fetch(:push, @push_url)).any? { |url| !url.to_s.empty? }
      end

      # Returns the recorder's keywords. The directory is below the root of the application.
      def recorder_options
        given = @given[:recorder]
        given = {} if given && !given.is_a?(Hash) && truth(:recorder, default: false)
        return unless given
        recorder = without_empty(given.transform_keys(&:to_sym))
        recorder[:directory] &&= AbsolutePath.of(recorder[:directory].to_s, @root)
        recorder
      end

      # Settings that stand for the default are left out.
      def without_empty(given) = given.reject { |_name, value| value.nil? || value == "" }

      def truth(name, default:)
        value = @given.fetch(name, default)
        Options::Value.read(Options::Value::Truth, value, subject(name))
      end

      def subject(name) = "config.rperf.#{name}"

      def unknown(name)
        raise ArgumentError, "there is no config.rperf.#{name}#{Suggestion.clause(name, NAMES)}"
      end
    end
  end
end
