# frozen_string_literal: true

require_relative "ruby_scopes"
require_relative "spans"

module Rperf
  class Page
    # The lines of a source file to show: those around lines with samples, within the functions that
    # the profile has. A page that leaves a function out has no source lines of it either.
    class Excerpt
      # Number of lines shown before and after each line with samples.
      AROUND = 12

      RUBY_NAMES = /(?:\.(?:rb|ru|rake|gemspec|builder|jbuilder|thor)|\A(?:Rake|Gem)file)\z/x
      RUBY_SCRIPT = /\A#!.*\bruby/

      # Whether a file is a Ruby program, by its name or its first line.
      def self.ruby?(path, text) = File.basename(path).match?(RUBY_NAMES) || text.match?(RUBY_SCRIPT)

      # text: the content of the file, in UTF-8
      def initialize(path, text)
        @lines = text.lines("\n", chomp: true)
        @owners = (RubyScopes.of(text) if Excerpt.ruby?(path, text)) || Spans.new
      end

      # Returns at most `room` lines as [[number, text], ...], in order.
      #
      # functions: [[label, start_line, [line, ...]], ...], the most important first
      def pick(functions, room)
        chosen = {}
        functions.each do |label, start, lines|
          owned = @owners.of_function(label, start, lines)
          [*lines, start].reject(&:zero?).each { |line| choose(line, owned, chosen, room) }
          break if chosen.length >= room
        end
        chosen.keys.sort.map { |number| [number, @lines[number - 1]] }
      end

      private

      def choose(line, owned, chosen, room)
        ([line - AROUND, 1].max..[line + AROUND, @lines.length].min).each do |number|
          return if chosen.length >= room
          chosen[number] = true if @owners.include?(owned, number)
        end
      end
    end
    private_constant :Excerpt, :RubyScopes, :Spans
  end
end
