# frozen_string_literal: true

require_relative "../connection"
require_relative "../spool"

module Rperf
  class Agent
    # Destinations of profiles.
    module Destinations
      # A server that takes profiles over HTTP.
      class Server
        # Limits of a store: samples, bytes before compression, frames of a stack. They are a little
        # below Pyroscope's limits (16,000; 2 MiB at once from a tenant; 1,000).
        SAMPLES = 15_000
        BYTES = 15 << 17
        DEPTH = 1_000
        # Maximum number of values of a label: string labels of samples become series in stores.
        VALUES = 20
        ENDPOINTS = {"endpoint" => 50}.freeze
        # Names of parts that a store does not get, by the keys of Native::Profile#for_store.
        LOSSES = {folded: "label values", cut: "outermost frames", lines: "lines", links: "links", thinned: "light stacks"}.freeze
        # Labels that link to a trace.
        LINKS = %w[trace_id span_id].freeze
        # Path that is appended to the path of the URL.
        PATH = ""

        # url: a URI with http or https; series: see Series; credentials: see Credentials
        # deny: keys of labels that the server does not get; short_paths: whether paths are sent
        # without the directories of the project, of gems and of Ruby
        # timeout: maximum time of an exchange, in seconds; gzip: whether bodies are compressed
        # where that is not part of the format
        def initialize(url, series:, credentials:, tls: {}, deny: [], short_paths: false, timeout: Connection::ALL, gzip: true)
          @url, @series, @credentials, @gzip = url, series, credentials, gzip
          @kept = {deny:, short_paths:}
          @connection = Connection.new(url, tls:, within: timeout)
          @name = "#{self.class.name[/\w+\z/].downcase}+#{@url.scheme}://#{@url.host}:#{@url.port}#{@url.path}"
          @id = [@name, credentials.digest(url.query)].compact.join(" ")
        end

        # name: a text without user, password and query, which may be secrets; id: the address with
        # a digest of these: a request in a spool is for it alone
        attr_accessor :name
        attr_reader :id
        alias inspect name

        # Tries to deliver once. Returns an Answer.
        def deliver(delivery) = resend(entry(delivery))

        # Whether a spool takes profiles for it.
        def spools? = true

        # Returns the request of a delivery, without credentials.
        def entry(delivery)
          body, headers = message(prepared(delivery), delivery)
          Spool::Entry.new(destination: id, path:, headers:, body:, till: delivery.till)
        end

        # Names and texts that tell a delivery from others in the store: a Hash.
        def named(_delivery) = {}

        # Sends a request, an Entry. Returns an Answer. (The query of the URL may be a secret.)
        def resend(entry)
          target = @url.query ? "#{entry.path}?#{@url.query}" : entry.path
          answer = @connection.post(target, entry.body, {**entry.headers, **@credentials.headers}) { |*heard| heard(*heard) }
          answer.with(text: answer.text && @credentials.hide(answer.text, @url.query))
        rescue Error => error # There are no credentials now.
          Answer.new(kind: :unauthorized, text: error.message)
        end

        # Whether the credentials differ from those of the last attempt.
        def renewed? = @credentials.renewed?

        # Closes the connection.
        def finish = @connection.finish

        private

        # Returns the Answer, changed where the body of the response, or the response, says so.
        def heard(answer, _body, _response) = answer

        # Returns the profile within the limits of stores, or half of what this store refused as too
        # large: its own limits may be lower.
        def prepared(delivery)
          limits = delivery.limits || {samples: SAMPLES, bytes: BYTES}
          profile, losses = delivery.profile.for_store(**limits, depth: DEPTH, values: VALUES, label_values: ENDPOINTS, **kept)
          delivery.losses = LOSSES.reject { |name, _word| [false, 0, {}].include?(losses[name]) }.values
          delivery.sent_size = profile.store_size
          profile
        end

        # Keywords about denied labels and directories, which stay in the process.
        def kept = @kept

        def path
          found = "#{@url.path.chomp("/")}#{self.class::PATH}"
          found.empty? ? "/" : found
        end
      end
    end
  end
end
