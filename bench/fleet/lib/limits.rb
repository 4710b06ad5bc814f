# frozen_string_literal: true

require "json"
require "rbconfig"
require "tmpdir"
require_relative "../../overhead/lib/table"

module Fleet
  # Memory that an agent, whose server is away, and a recorder keep at their limits, in a program
  # that produces more than these limits allow.
  class Limits
    PROGRAM = File.expand_path("../limits_program.rb", __dir__)
    # Maximum growth of the process, in bytes.
    BAR = 48 << 20
    # Duration in seconds. The window and the outbox are full before.
    SECONDS = 90

    def initialize
      Dir.mktmpdir do |directory|
        lines = IO.popen([RbConfig.ruby, PROGRAM, SECONDS.to_s, directory], chdir: directory, &:readlines)
        @rows = lines.map { |line| JSON.parse(line, symbolize_names: true) }
      end
    end

    def text
      rows = [[*row("outbox", :outbox), ""], [*row("window", :window), ""],
              ["resident set above that of the program alone", mb(last[:more]), mb(last[:most]), mb(BAR)]]
      "#{Overhead::Table.markdown(["what an agent and a recorder keep, MB", "at the end", "most", "bar"], rows)}\n\n" \
        "#{last[:given_up]} segments were given up before their time, and #{last[:recordings]} recording was made."
    end

    def passed? = last[:most] <= BAR && last[:given_up].positive?

    private

    def last = @rows.last
    def most(key) = @rows.map { |row| row[key] }.max
    def row(name, key) = [name, mb(last[key]), mb(most(key))]
    def mb(bytes) = format("%.1f", bytes / 1e6)
  end
end
