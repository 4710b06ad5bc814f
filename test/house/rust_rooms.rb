# frozen_string_literal: true

require_relative "rust_source"

# What may be named only in certain rooms: Ruby's C API in vm/, the operating system in os/,
# `unsafe` in these two; and in the core crate nothing of the outside world at all.
module RustRooms
  RUBY = /\brb_sys\b/
  SYSTEM = /\b(?:libc|nix)\b/
  UNSAFE = /\bunsafe\b|\ballow\s*\(\s*unsafe_code\b/
  OUTSIDE = {
    "files, processes or the environment" => /\bstd::(?:\{[^}]*\b)?(?:fs|net|process|env|os)\b/,
    "threads" => /\bstd::(?:\{[^}]*\b)?thread\b/,
    "a real clock" => /\b(?:Instant|SystemTime)\b/,
    "Ruby" => /\b(?:magnus|rb_sys)\b/,
    "the operating system" => SYSTEM,
    "unsafe" => /\bunsafe\b/
  }.freeze
  PRINTING = /\be?print(?:ln)?!/

  # @param file [String] relative to the binding crate's src/
  # @param text [String] its contents
  # @return [Array<String>] a sentence for each thing named in the wrong room
  def self.binding_violations(file, text)
    code = RustSource.code(text)
    [
      ("#{file}: rb_sys is named outside vm/" if code.match?(RUBY) && !room?(file, "vm")),
      ("#{file}: libc or nix is named outside os/" if code.match?(SYSTEM) && !room?(file, "os")),
      ("#{file}: unsafe outside vm/ and os/" if code.match?(UNSAFE) && !room?(file, "vm") && !room?(file, "os"))
    ].compact
  end

  # @param file [String] relative to the core crate's src/
  # @param text [String] its contents
  # @return [Array<String>] a sentence for each thing of the outside world that the core names
  def self.core_violations(file, text)
    code = RustSource.code(text)
    named = OUTSIDE.filter_map { |what, pattern| "#{file}: the core may not know #{what}" if code.match?(pattern) }
    code.match?(PRINTING) ? named + ["#{file}: the core may not print"] : named
  end

  def self.room?(file, room) = file.start_with?("#{room}/") || file == "#{room}.rs"
  private_class_method :room?
end
