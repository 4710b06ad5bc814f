# frozen_string_literal: true

require "digest/sha2" # All of it: Digest loads a part when it is first named.
require "json"
require "securerandom"
require_relative "../errors"
require_relative "../private_directory"

module Rperf
  class Agent
    # Requests that wait in a directory for a server that does not answer. The processes of a user
    # share the directory: each sends what it finds there. A file appears as a whole, and belongs to
    # the process that renames it. Its name says what is in it, so that files need not be opened or
    # looked at: each time that costs a time slice of each thread that computes.
    class Spool
      # Maximum bytes of all files; beyond it the oldest are removed.
      LARGEST = 64 << 20
      ENDING = ".request"
      # Name of a file: the end of the profile (nanoseconds since 1970), a digest of the
      # destination, the number of bytes, and a text that no other file has.
      NAME = /\A\d{20}-(?<destination>\h{16})-(?<bytes>\d+)-[\h-]{36}#{ENDING}\z/
      # Name of a file that a process has taken, whose number follows.
      TAKEN_NAME = /\A(.+#{ENDING})\.\d+\z/
      # Seconds after which a request that an ended process took, and did not send, is free again:
      # more than the longest `timeout:`, since another process may still be sending it.
      TAKEN = 660

      # A request: its content, and the id of its destination.
      Entry = Data.define(:destination, :path, :headers, :body, :till) do
        # Returns the bytes of a file: a line of JSON, then the body.
        def bytes = "#{JSON.generate(to_h.except(:body))}\n#{body}"

        # Returns the Entry of a file's bytes; nil where they hold none.
        def self.of(bytes)
          line, body = bytes.split("\n", 2)
          case JSON.parse(line.to_s, symbolize_names: true)
          in {destination: String => destination, path: String => path, headers: Hash => headers, till: Integer => till}
            new(destination:, path:, headers: headers.transform_keys(&:to_s), body:, till:) if body && headers.values.all?(String)
          else nil
          end
        rescue JSON::ParserError, EncodingError
          nil
        end
      end

      # Makes the directory where it is missing. Raises Rperf::Error where the directory cannot be
      # used, or belongs to another user.
      def initialize(directory)
        @directory = PrivateDirectory.new(directory, "the spool")
      end

      # Keeps an Entry, and yields for each older one that it removes to make room. Returns true.
      # Raises SystemCallError where the entry cannot be written.
      def put(entry, &)
        bytes = entry.bytes
        @directory.write(format("%020d-%s-%d-%s%s", entry.till, digest(entry.destination), bytes.bytesize, SecureRandom.uuid, ENDING), bytes)
        drop_oldest(&)
        true
      end

      # Takes the oldest Entry of a destination, and yields it. It is removed when the block returns
      # true. Returns whether there was one.
      def take(destination)
        release
        wanted = digest(destination)
        files.each do |name, match|
          next unless match[:destination] == wanted
          entry, taken = claim(name)
          next unless entry
          yield(entry) ? File.unlink(taken) : File.rename(taken, path(name))
          return true
        end
        false
      rescue SystemCallError
        false
      end

      # Number of requests that wait, for all destinations.
      def length = files.length

      private

      def path(name) = @directory.path(name)

      def digest(destination) = Digest::SHA256.hexdigest(destination)[0, 16]

      # The files, the oldest first: {name => MatchData}.
      def files = @directory.names(NAME).to_h { |name| [name, NAME.match(name)] }

      # Frees files that another process took more than TAKEN seconds ago.
      def release
        @directory.names(TAKEN_NAME).each do |name|
          old = File.mtime(path(name)) < Time.now - TAKEN
          File.rename(path(name), path(name[TAKEN_NAME, 1])) if old
        end
      rescue SystemCallError
        nil # Another process was faster.
      end

      # Takes a file for this process. Returns its entry and its new path.
      def claim(name)
        taken = path("#{name}.#{Process.pid}")
        File.rename(path(name), taken)
        File.utime(nil, nil, taken)
        entry = Entry.of(File.binread(taken))
        entry ? [entry, taken] : File.unlink(taken) && nil
      rescue SystemCallError
        nil # Another process was faster.
      end

      def drop_oldest
        sizes = files.to_a.map { |name, match| [path(name), match[:bytes].to_i] }
        while sizes.sum(&:last) > LARGEST
          yield if removed?(sizes.shift.first)
        end
      end

      def removed?(path)
        File.unlink(path)
      rescue SystemCallError
        nil # Another process was faster.
      end
    end
  end
end
