# frozen_string_literal: true

module Rperf
  # Lines that fit on a terminal. columns: its width, or nil where lines may have any length
  module TerminalLines
    # Minimum number of characters of a text beside what stands in front of it.
    LEAST = 20
    # Mark in place of a part that was cut.
    CUT = "\u2026"
    private_constant :LEAST

    # Returns a text behind `head`, without a line break at its end. A line that is too long is
    # broken at spaces, and further lines begin below the text. A long word stays whole.
    def self.hanging(head, text, columns)
      return head + text unless columns && head.length + text.length > columns
      room = [columns - head.length, LEAST].max
      head + text.scan(/\S.{0,#{room - 2}}\S(?!\S)|\S+/).join("\n#{" " * head.length}")
    end

    # Returns a text without its end if the line is too short. An endpoint with its action, such as
    # "GET /users/:id UsersController#show", loses what follows its first word. beside: number of
    # characters of the rest of the line
    def self.cut(text, beside, columns)
      room = columns ? [columns - beside, LEAST].max : text.length
      return text if text.length <= room
      first = text[/\A\S{1,10} (?=.*#\S*\z)/]
      start = first ? first.length : room - 1
      "#{text[0, start]}#{CUT}#{text[(text.length - room + 1 + start)..]}"
    end
  end
end
