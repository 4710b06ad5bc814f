# frozen_string_literal: true

module Rperf
  # Conversion of numbers to text for people.
  module Numbers
    BYTES = [["B", 1], ["kB", 1 << 10], ["MB", 1 << 20], ["GB", 1 << 30], ["TB", 1 << 40]].freeze
    private_constant :BYTES

    module_function

    # Returns "1,234,567" for 1234567.
    def grouped(number) = number.to_i.to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, ",")

    # Returns nanoseconds as "1,234.5" milliseconds.
    def milliseconds(nanoseconds)
      whole, tenth = (nanoseconds / 100_000.0).round.divmod(10)
      "#{grouped(whole)}.#{tenth}"
    end

    # Returns nanoseconds as "1.23 s", "45.6 ms", or "20 us" and "0 ms" for what would be "0.0 ms".
    def duration(nanoseconds)
      return "0 ms" if nanoseconds.zero?
      return "#{(nanoseconds / 1e3).ceil} us" if nanoseconds.between?(0, 49_999)
      nanoseconds >= 1_000_000_000 ? format("%.2f s", nanoseconds / 1e9) : "#{milliseconds(nanoseconds)} ms"
    end

    # Returns a value with its unit in a profile: a duration, "40 B", "6.47 MB" (of 1024 * 1024
    # bytes), or "1,234".
    def amount(value, unit)
      case unit
      when "nanoseconds" then duration(value)
      when "bytes" then bytes(value)
      else grouped(value)
      end
    end

    # Returns "6.47 MB" for 6786048, with the units of `rperf report`, which are those of pprof.
    def bytes(number)
      name, size = BYTES.reverse.find { |_name, least| number >= least } || BYTES.first
      size == 1 ? "#{number} B" : format("%.2f %s", number.fdiv(size), name)
    end

    # Returns a share as "12.3%"; "0.0%" if the whole is zero.
    def percent(part, whole) = format("%.1f%%", whole.zero? ? 0.0 : 100.0 * part / whole)

    # Returns bytes as whole megabytes.
    def megabytes(bytes) = grouped((bytes / 1048576.0).round)

    # Returns "1 sample" or "2 samples".
    def counted(number, noun)
      plural = noun.end_with?("s") ? "#{noun}es" : "#{noun}s"
      "#{grouped(number)} #{number == 1 ? noun : plural}"
    end
  end
end
