# frozen_string_literal: true

module Rperf
  # Names of files that contain a moment, by which the oldest files are found.
  module DatedNames
    # Seconds by which a name may be ahead of another process that looks at it.
    AHEAD = 60

    module_function

    # Returns a moment as names contain it.
    def moment(time) = time.getutc.strftime("%Y%m%dT%H%M%S.%LZ")

    # Returns the Arrays, whose first element is such a moment, the oldest first. What is ahead of
    # `now` was written before the clock was set back.
    def by_age(dated, now)
      latest = moment(now + AHEAD)
      dated.sort_by { |file| [file.first > latest ? 0 : 1, file] }
    end
  end
end
