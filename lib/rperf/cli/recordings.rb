# frozen_string_literal: true

require "json"
require_relative "../control/client"
require_relative "../control/recordings"
require_relative "../formats"
require_relative "../numbers"
require_relative "../output_file"
require_relative "../profile_file"
require_relative "../utf8"
require_relative "remote"
require_relative "terminal"

module Rperf
  class CLI
    # `rperf recordings`: lists the recordings of a process's recorder, or takes one.
    class Recordings < Remote
      # Maximum time to wait for a recording, in seconds.
      WITHIN = 30

      # Lists the recordings, or takes one; returns the exit status.
      def call
        pid
        check
        OutputFile.new(@values[:output]).check! if @values[:output]
        names = made if @values[:now]
        return fetch(names || newest) if @values[:output]
        list unless names
        0
      end

      private

      def check
        return if @values[:mode].nil? || @values[:output]
        raise Failure.usage("--mode says which profile is taken, and none is: add -o PATH, or leave out --mode")
      end

      # Makes a recording now. Returns the names of its files.
      def made
        names = parse(client.request("POST", "/recordings", within: WITHIN))[:recordings]
        note(names.empty? ? "process #{pid} has sent the recording to its agent's destinations" : "process #{pid} wrote #{names.join(" and ")}")
        names
      end

      def list
        recordings = all
        note("process #{pid} has no recordings") if recordings.empty?
        rows = recordings.map { |file| [file[:time], file[:reason].ljust(9), Numbers.bytes(file[:bytes]).rjust(9), UTF8.printable(file[:name])].join("  ") }
        $stdout.puts(fitting(rows))
      end

      # Returns the rows without time and reason if one of them is longer than the terminal: names
      # of files have these, too.
      def fitting(rows)
        columns = Terminal.new.columns
        columns && rows.any? { |row| row.length > columns } ? rows.map { |row| row.split("  ", 3).last } : rows
      end

      # Names of the files of the latest recording of the process.
      def newest
        own = all.select { |file| file[:pid] == pid }
        own.select { |file| file[:time] == own.last[:time] }.map { |file| file[:name] }
      end

      def all = parse(client.request("GET", "/recordings"))[:recordings]

      # Takes one file of a recording. A recording of several modes has several files.
      def fetch(names)
        name = names.find { |one| @values[:mode].nil? || names.length == 1 || one.include?(".#{@values[:mode]}.") }
        raise Error, "process #{pid} has no such recording: rperf recordings #{pid} lists them" unless name
        bytes = client.request("GET", "#{Control::Recordings::PATH}#{name}", within: WITHIN)
        check_mode(bytes, name) if @values[:mode]
        OutputFile.new(@values[:output]).write(bytes)
        note("wrote #{@values[:output]} (#{name})")
        note("its format is that of #{name}, not that of its ending: rperf convert writes others") unless alike?(name)
        0
      end

      # Whether the endings of the recording and of the file to write name the same format.
      def alike?(name)
        Formats.for(name) == Formats.for(@values[:output])
      rescue ArgumentError # An ending of no format.
        false
      end

      # Refuses a file of another mode: the only file of a recording has no mode in its name.
      # (Collapsed stacks do not say their mode.)
      def check_mode(bytes, name)
        return if Formats.for(name, nil) == :collapsed
        mode = ProfileFile.new(name, content: bytes).profile.mode
        return if mode.to_s == @values[:mode].to_s
        raise Error, "process #{pid} keeps the #{mode} profile, and no #{@values[:mode]} profile: leave out --mode, " \
                     "or see the setting 'mode' of Rperf::Recorder.start"
      end

      def parse(json) = JSON.parse(json, symbolize_names: true)
    end
  end
end
