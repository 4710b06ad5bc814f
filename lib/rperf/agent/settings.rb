# frozen_string_literal: true

require "uri"
require_relative "../options"
require_relative "../options/pairs"
require_relative "credentials"
require_relative "destinations/otlp"
require_relative "duty"
require_relative "otel_exporter"

module Rperf
  class Agent
    # Validated settings of the agent: keywords of Rperf::Agent.start, or variables of the
    # environment.
    class Settings
      # Settings with their defaults, and the variables of the environment for some of them.
      DEFAULTS = {push: nil, headers: {}, basic_auth: nil, token: nil, token_file: nil, ca_file: nil, client_certificate: nil,
                  client_key: nil, timeout: 20, compression: :gzip, service: nil, labels: {}, deny: [], paths: :absolute, period: 60,
                  frequency: 99, mode: :both, interval: nil, wall: :work, slow: nil, share: 1.0, duty: nil, max_overhead: 0.01,
                  spool: nil, logger: nil}.freeze
      VARIABLES = {push: "RPERF_PUSH_URL", headers: "RPERF_PUSH_HEADERS", token_file: "RPERF_PUSH_TOKEN_FILE",
                   period: "RPERF_PUSH_PERIOD", frequency: "RPERF_FREQUENCY", mode: "RPERF_MODE", interval: "RPERF_INTERVAL",
                   slow: "RPERF_SLOW", service: "RPERF_SERVICE", labels: "RPERF_LABELS", share: "RPERF_SHARE", duty: "RPERF_DUTY", max_overhead: "RPERF_MAX_OVERHEAD", spool: "RPERF_SPOOL"}.freeze
      # Files that must be there.
      FILES = %i[token_file ca_file client_certificate client_key].freeze
      # Kinds of settings, as of Options::Value.
      KINDS = {
        **%i[mode frequency interval slow].to_h { |name| [name, Options::TABLE.fetch(name).value] },
        **[*FILES, :spool].to_h { |name| [name, Options::Value::Path] },
        timeout: Options::Value::Number.new(0.1..600, "seconds"), period: Options::Value::Number.new(1..600, "seconds"),
        share: Options::Value::Number.new(0..1, "the part of the processes"),
        max_overhead: Options::Value::Number.new(0.0001..1, "the part of a processor"),
        compression: Options::Value::Name.new { %i[gzip none] }, wall: Options::Value::Name.new { %i[work all] },
        paths: Options::Value::Name.new { %i[absolute relative] }
      }.freeze
      # Requirements for other settings. Sentences do not show a value, which may be a secret.
      SHAPES = {
        headers: ["a Hash", Hash], labels: ["a Hash", Hash], deny: ["an Array of keys of labels", Array],
        basic_auth: ["[USER, PASSWORD]", ->(value) { value.is_a?(Array) && value.length == 2 && value.none?(&:nil?) }],
        logger: ["an object with info and warn", ->(value) { value.respond_to?(:info) && value.respond_to?(:warn) }]
      }.freeze
      # Comma between two destinations: a comma in a query is part of it.
      COMMA = %r{,\s*(?=[a-z+]+://|file:|otlp\s*(?:,|\z)|\z)}
      # Name of a header (RFC 9110, section 5.6.2).
      HEADER = /\A[\w!#$%&'*+.^`|~-]+\z/
      # Scheme of a destination by the first word of its URL.
      SCHEMES = %w[pyroscope otlp parca pprof].product(%w[https http]).to_h { |kind, scheme| ["#{kind}+#{scheme}", scheme] }.freeze

      # Returns the Settings of the environment and of keywords, which have priority.
      def self.from_env(env, **keywords)
        found = VARIABLES.to_h { |name, variable| [name, env[variable].to_s] }.reject { |_name, text| text.empty? }
        variables = VARIABLES.slice(*found.keys)
        addresses = addresses(keywords[:push] || found[:push])
        if addresses.delete(OTelExporter::WORD)
          alone(addresses, keywords[:push] ? "push:" : VARIABLES[:push])
          found, variables = with_otel(env, found, variables)
          found[:push] = [found[:push], *addresses]
          keywords = keywords.except(:push)
        end
        found[:headers] &&= pairs(found[:headers], variables[:headers], percent: true)
        found[:labels] &&= pairs(found[:labels], VARIABLES[:labels])
        new(variables.except(*keywords.compact.keys), **found, **keywords.compact)
      end

      # Returns the single addresses of a String, or of an Array of these, as bytes: the name of a
      # file may be no text.
      def self.addresses(push) = Array(push).flat_map { |text| text.to_s.b.split(COMMA).map(&:strip) }

      # Refuses other servers beside OpenTelemetry's, whose headers they would get.
      def self.alone(others, subject)
        return if others.all? { |address| address.start_with?("file:") }
        raise ArgumentError, "#{subject} may have only files besides otlp, since OpenTelemetry's headers are for its server alone: name that as otlp+https://HOST"
      end

      # Adds OpenTelemetry's variables: settings, and the variable that says each.
      def self.with_otel(env, found, variables)
        given = OTelExporter.read(env).except(*found.keys - [:push])
        [found.merge(given.transform_values(&:first)), variables.merge(given.transform_values(&:last))]
      end

      # Parses "k=v,k=v" as a Hash. Sentences do not show the text: values may be secrets.
      def self.pairs(text, subject, percent: false)
        found = Options::Pairs.parse(text) { raise ArgumentError, "#{subject} must be NAME=VALUE,NAME=VALUE, and has a part without a value" }
        percent ? found.transform_values { |value| decoded(value, subject) } : found
      end

      def self.decoded(value, subject)
        URI.decode_uri_component(value)
      rescue ArgumentError # Its message has the value.
        raise ArgumentError, "#{subject} has a value whose percent-encoding is damaged: write %25 for a percent sign", cause: nil
      end
      private_class_method :pairs, :decoded, :alone, :with_otel

      # variables: names of the variables that settings come from, by setting, for sentences
      # Raises ArgumentError with one sentence.
      def initialize(variables = {}, **given)
        given.each_key { |name| unknown(name) unless DEFAULTS.key?(name) }
        @variables = variables
        @values = DEFAULTS.merge(given.compact, {push: Settings.addresses(given[:push])})
        check
        freeze
      end

      # The value of one setting.
      def [](name) = @values.fetch(name)

      # Returns the name of a setting in its source, for sentences.
      def subject(name) = @variables.fetch(name, "#{name}:")

      # The destinations: [[kind, URI or pattern], ...].
      attr_reader :destinations

      # Returns the Credentials. url: that of the destination, which may name a user and a password:
      # then those of the settings are not for it
      def credentials(url = nil)
        user = [url.user, url.password.to_s].map { |text| URI.decode_uri_component(text) } if url&.user
        return Credentials.new(headers: self[:headers], basic_auth: user) if user
        token = self[:token_file] ? Secret.file(self[:token_file]) : self[:token]
        Credentials.new(headers: self[:headers], basic_auth: self[:basic_auth], token:)
      end

      # Keywords for Connection. A key with a pass phrase is refused: nothing asks for the phrase.
      def tls
        ca_file = read(:ca_file, "certificates") { |path| path if OpenSSL::X509::Store.new.add_file(path) }
        cert = read(:client_certificate, "a certificate") { |path| OpenSSL::X509::Certificate.new(File.read(path)) }
        key = read(:client_key, "a private key without a pass phrase") { |path| OpenSSL::PKey.read(File.read(path), "") }
        {ca_file:, cert:, key:}.compact
      end

      # Hides the settings, which have secrets.
      def inspect = "#<#{self.class}>"

      private

      def check
        raise ArgumentError, "#{subject(:push)} must be given: where profiles go, such as pyroscope+https://profiles.example.org" if self[:push].empty?
        SHAPES.each { |name, (words, kind)| raise ArgumentError, "#{subject(name)} must be #{words}" unless self[name].nil? || kind === self[name] }
        KINDS.each { |name, kind| @values[name] = Options::Value.read(kind, self[name], subject(name)) }
        Options.check_together(@values.slice(:mode, :interval).compact, naming: method(:subject))
        @values[:duty] = Duty.parse(self[:duty], subject(:duty)) if self[:duty]
        check_names
        check_files
        tls
        @values[:spool] &&= absolute(self[:spool], :spool)
        @destinations = self[:push].map { |url| destination(url) }
      end

      def check_names
        wrong = self[:headers].keys.find { |name| !HEADER.match?(name.to_s.b) }
        raise ArgumentError, "#{subject(:headers)} has the name #{wrong.to_s.inspect}: use letters, digits and -" if wrong
        check_labels(self[:labels].compact)
      end

      # Refuses labels with which stores would refuse every profile.
      def check_labels(labels)
        wrong = labels.keys.find { |name| !Series::NAME.match?(name.to_s) }
        raise ArgumentError, "#{subject(:labels)} has the name '#{wrong}': use letters, digits and _, no digit and no __ first, and service: for service_name" if wrong
        long, value = labels.find { |_name, value| value.to_s.bytesize > Series::LONGEST }
        raise ArgumentError, "#{subject(:labels)} has a value of #{value.to_s.bytesize} bytes for #{long}: use at most #{Series::LONGEST} bytes" if long
        raise ArgumentError, "#{subject(:labels)} has #{labels.length} labels: use at most #{Series::MOST}" if labels.length > Series::MOST
      end

      def check_files
        FILES.each do |name|
          next if self[name].nil?
          raise ArgumentError, "#{subject(name)} names the file '#{self[name]}', which cannot be read" unless File.readable?(self[name])
          @values[name] = absolute(self[name], name)
        end
      end

      # Absolute path: the program may change its directory, and a child has these settings.
      def absolute(path, name) = Options::Value::Path.absolute(path, subject(name))

      def destination(url)
        return [:file, absolute(url.delete_prefix("file:"), :push)] if url.start_with?("file:")
        kind, scheme = url[/\A[a-z]+(?=\+)/], SCHEMES[url[/\A[a-z+]+(?=:)/]]
        uri = parsed(url.sub(/\A[a-z]+\+/, "")) if scheme
        return [kind.to_sym, uri] if uri&.host&.match?(/\A[^,]+\z/)
        wrong(url)
      end

      # Returns the URI; nil for text that is none. (The message of Ruby's error has the text.)
      def parsed(text)
        URI.parse(text)
      rescue URI::InvalidURIError
        nil
      end

      # Refuses an address. What follows its scheme may hold a secret, and is not shown.
      def wrong(url)
        scheme = url[%r{\A[a-z+]+(?=://)}i]
        raise ArgumentError, "#{subject(:push)} must have HOST, HOST:PORT or USER:PASSWORD@HOST behind #{scheme}://, with their special characters as %XX" if SCHEMES.key?(scheme)
        found = scheme ? "'#{scheme}://...'" : "an address that begins otherwise"
        raise ArgumentError, "#{subject(:push)} must be #{SCHEMES.keys.map { |known| "#{known}://HOST" }.join(", ")}, otlp or file:PATTERN, not #{found}"
      end

      # Returns the block's value for a file that must hold `content`.
      def read(name, content)
        yield self[name] if self[name]
      rescue OpenSSL::OpenSSLError, SystemCallError
        raise ArgumentError, "#{subject(name)} must name a file with #{content} (PEM), not '#{self[name]}'"
      end

      def unknown(name)
        raise ArgumentError, "the agent has no setting #{Error.shown(name)}#{Suggestion.clause(name, DEFAULTS.keys)}"
      end
    end
  end
end
