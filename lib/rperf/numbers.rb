# frozen_string_literal: true

module Rperf
  # Numbers as people read them.
  module Numbers
    BYTES = [["B", 1], ["KB", 1 << 10], ["MB", 1 << 20], ["GB", 1 << 30], ["TB", 1 << 40]].freeze
    private_constant :BYTES

    module_function

    # 1234567 is "1,234,567".
    def grouped(number) = number.to_i.to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, ",")

    # Nanoseconds as "1,234.5" milliseconds.
    def milliseconds(nanoseconds)
      whole, tenth = (nanoseconds / 100_000.0).round.divmod(10)
      "#{grouped(whole)}.#{tenth}"
    end

    # Nanoseconds as "1.23 s" or "45.6 ms".
    def duration(nanoseconds)
      nanoseconds >= 1_000_000_000 ? format("%.2f s", nanoseconds / 1e9) : "#{milliseconds(nanoseconds)} ms"
    end

    # A value in this unit of a profile: a duration, "6.47 MB" (of 1024 * 1024 bytes), "40 B", or
    # "1,234".
    def amount(value, unit)
      case unit
      when "nanoseconds" then duration(value)
      when "bytes" then bytes(value)
      else grouped(value)
      end
    end

    # 6786048 is "6.47 MB".
    def bytes(number)
      name, size = BYTES.reverse.find { |_name, least| number >= least } || BYTES.first
      size == 1 ? "#{number} B" : format("%.2f %s", number.fdiv(size), name)
    end

    # A share as "12.3%"; "0.0%" of nothing.
    def percent(part, whole) = format("%.1f%%", whole.zero? ? 0.0 : 100.0 * part / whole)

    # Bytes as whole megabytes.
    def megabytes(bytes) = grouped((bytes / 1048576.0).round)

    # "1 sample", "2 samples"
    def counted(number, noun)
      plural = noun.end_with?("s") ? "#{noun}es" : "#{noun}s"
      "#{grouped(number)} #{number == 1 ? noun : plural}"
    end
  end
end
