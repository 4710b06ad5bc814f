# frozen_string_literal: true

require_relative "../connection"
require_relative "../spool"

module Rperf
  class Agent
    # Where profiles go.
    module Destinations
      # A server that takes profiles over HTTP.
      class Server
        # What a store takes: samples, bytes before compression, frames of a stack. A little below
        # Pyroscope's limits (16,000; 2 MiB at once from a tenant; 1,000).
        SAMPLES = 15_000
        BYTES = 15 << 17
        DEPTH = 1_000
        # Values of a label: string labels of samples become series in stores.
        VALUES = 20
        ENDPOINTS = {"endpoint" => 50}.freeze
        # What a store does not get of a profile, by what Native::Profile#for_store calls it.
        LOSSES = {folded: "label values", cut: "outermost frames", lines: "lines", links: "links", thinned: "light stacks"}.freeze
        # Labels that lead to a trace.
        LINKS = %w[trace_id span_id].freeze
        # What comes behind the path of the URL.
        PATH = ""

        # url: a URI with http or https; series: see Series; credentials: see Credentials
        # deny: keys of labels that leave the process never; short_paths: whether paths leave it
        # without the directories of the project, of gems and of Ruby
        # timeout: seconds of an exchange; gzip: whether bodies are compressed where that is not
        # part of the format
        def initialize(url, series:, credentials:, tls: {}, deny: [], short_paths: false, timeout: Connection::ALL, gzip: true)
          @url, @series, @credentials, @gzip = url, series, credentials, gzip
          @kept = {deny:, short_paths:}
          @connection = Connection.new(url, tls:, within: timeout)
        end

        # Without user, password and query, which may be secrets.
        def name = "#{self.class.name[/\w+\z/].downcase}+#{@url.scheme}://#{@url.host}:#{@url.port}#{@url.path}"
        alias inspect name

        # Tries it once. Returns an Answer.
        def deliver(delivery) = resend(entry(delivery))

        # What may wait in a spool.
        def spools? = true

        # The request of a delivery, without credentials.
        def entry(delivery)
          body, headers = message(prepared(delivery), delivery)
          Spool::Entry.new(destination: name, path:, headers:, body:, till: delivery.till)
        end

        # What tells a delivery from others there: a Hash of names and texts.
        def named(_delivery) = {}

        # Sends such a request. Returns an Answer. (What is behind the path may be a secret.)
        def resend(entry)
          target = @url.query ? "#{entry.path}?#{@url.query}" : entry.path
          answer = @connection.post(target, entry.body, {**entry.headers, **@credentials.headers}) { |*heard| heard(*heard) }
          answer.with(text: answer.text && @credentials.hide(answer.text, @url.query))
        rescue Error => error # There are no credentials now.
          Answer.new(kind: :unauthorized, text: error.message)
        end

        # Whether there are other credentials than at the last attempt.
        def renewed? = @credentials.renewed?

        # Closes the connection.
        def finish = @connection.finish

        private

        # What an Answer means, with the body of the response, and the response.
        def heard(answer, _body, _response) = answer

        # Within the limits of stores.
        def prepared(delivery)
          limits = {samples: SAMPLES, bytes: BYTES}.transform_values { |most| (most * delivery.scale).to_i }
          profile, losses = delivery.profile.for_store(**limits, depth: DEPTH, values: VALUES, label_values: ENDPOINTS, **kept)
          delivery.losses = LOSSES.reject { |name, _word| [false, 0, {}].include?(losses[name]) }.values
          profile
        end

        # What of the profile stays here.
        def kept = @kept

        def path
          found = "#{@url.path.chomp("/")}#{self.class::PATH}"
          found.empty? ? "/" : found
        end
      end
    end
  end
end
