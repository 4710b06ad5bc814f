# frozen_string_literal: true

require "strscan"

# The code of a Rust file, without what only looks like code: comments and the contents of literals.
module RustSource
  OPAQUE = %r{
    //[^\n]*                                  # line comment, doc comments too
    | b?r(?<hashes>\#*)".*?"\k<hashes>        # raw string
    | b?"(?:\\.|[^"\\])*"                     # string
    | b?'(?:\\(?:u\{\h+\}|x\h\h|.)|[^'\\])'   # character; a lifetime has no closing quote
  }mx
  PLAIN = %r{\w+|.}m

  # @param text [String] the file's contents
  # @return [String] the same lines; literals are empty, comments are gone
  def self.code(text)
    scanner = StringScanner.new(text)
    code = +""
    until scanner.eos?
      blank = scanner.check(%r{/\*}) ? block_comment(scanner) : scanner.scan(OPAQUE)
      code << (blank ? blank.gsub(/[^\n]/, "") : scanner.scan(PLAIN))
    end
    code
  end

  # Block comments nest in Rust.
  def self.block_comment(scanner)
    start = scanner.pos
    depth = 0
    while (mark = scanner.scan_until(%r{/\*|\*/}))
      depth += mark.end_with?("/*") ? 1 : -1
      return scanner.string.byteslice(start...scanner.pos) if depth.zero?
    end
    scanner.terminate
    scanner.string.byteslice(start..)
  end
  private_class_method :block_comment

  # Paths below the crate's root that the code names: `crate::a::b` and `crate::{a::b, c}` give a,
  # and a and c.
  #
  # @param code [String] from RustSource.code
  # @return [Array<String>] first segments, each once
  def self.crate_modules(code)
    single = code.scan(/\bcrate::(\w+)/).flatten
    groups = code.scan(/\bcrate::(\{(?:[^{}]|\g<1>)*\})/).flatten
    (single + groups.flat_map { |group| group_heads(group) }).uniq
  end

  # "{a::{b, c}, d}" gives a and d.
  def self.group_heads(group)
    inner = group[1...-1]
    nil while inner.gsub!(/\{[^{}]*\}/, "")
    inner.split(",").filter_map { |path| path[/\w+/] }
  end
  private_class_method :group_heads

  # Paths that climb: `super::a`, `super::super::a` give a. Which module that is depends on the
  # file.
  def self.super_modules(code) = code.scan(/\b(?:super::)+(\w+)/).flatten.uniq - %w[super self]
end
