# frozen_string_literal: true

require_relative "rust_source"

# Modules of a crate that know each other both ways, directly or by way of others. Siblings are
# compared, at each level: `collect` with `format`, `collect::tables` with `collect::buffer`. A
# module stands for all below it; what a parent hands on (`pub use`) is known as its child's.
# Modules of tests are left out: they may name what they like.
class RustCircles
  # `a::b::{c, d::e}` behind use, or in an expression; also `crate::a::B` alone.
  PATH = /(?<![\w:])(?:crate|self|super)(?:::(?:\w+|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}))+/
  HANDED_ON = /\bpub(?:\([^)]*\))?\s+use\s+((?:\w+|::|\{(?:[^{}]|\{[^{}]*\})*\})+)\s*;/
  TESTS = /(?:\A|\/)tests?(?:\.rs|\/)|_tests?\.rs\z/
  TEST_CODE = /#\[cfg\((?:all\()?test\b.*?\)\]\s*(?:#\[[^\]]*\]\s*)*mod \w+\s*(?<block>\{(?:[^{}]|\g<block>)*\}|;)/m

  # @param sources [Hash{String => String}] contents by file, relative to src/
  def initialize(sources)
    @code = sources.reject { |file, _| file.match?(TESTS) }.to_h do |file, text|
      [module_of(file), RustSource.code(text).gsub(TEST_CODE, "")]
    end
    @handed_on = @code.to_h { |mod, code| [mod, handed_on(mod, code)] }
  end

  # @return [Array<String>] a line for each circle: its modules, and files that make it
  def circles
    edges.flat_map do |parent, known|
      components(known).map do |names|
        reasons = names.flat_map { |from| known[from].slice(*names).map { |to, (by, what)| "#{by.join("::")} names #{what.join("::")} (#{to})" } }
        "#{[*parent, "{#{names.sort.join(", ")}}"].join("::")}: #{reasons.sort.join("; ")}"
      end
    end.sort
  end

  private

  def module_of(file) = file.delete_suffix(".rs").delete_suffix("/mod").split("/").then { |path| path == ["lib"] ? [] : path }

  # {parent => {child => {sibling => [module, path]}}}
  def edges
    known = Hash.new { |parents, parent| parents[parent] = Hash.new { |children, child| children[child] = {} } }
    @code.each do |mod, code|
      code.scan(PATH) { expand($&).each { |path| note(known, mod, absolute(mod, path)) } }
    end
    known
  end

  def note(known, mod, path)
    path = resolve(path)
    return if path.nil?

    depth = mod.zip(path).take_while { |one, other| one == other }.length
    from, to = mod[depth], path[depth]
    known[mod[0, depth]][from][to] ||= [mod, path] if from && to && @code.key?(path[0, depth + 1])
  end

  # The module in which what a path names is.
  def resolve(path, left = 8)
    return if path.nil? || left.zero?

    longest = path.length.downto(0).find { |length| @code.key?(path[0, length]) }
    inside, name = path[0, longest], path[longest]
    further = name && @handed_on.fetch(inside, {})[name]
    further ? resolve(further, left - 1) || inside : inside
  end

  def handed_on(mod, code)
    code.scan(HANDED_ON).flatten.flat_map { |tree| expand(tree) }.to_h do |path|
      full = %w[crate self super].include?(path.first) ? absolute(mod, path) : mod + path
      [path.last, full]
    end
  end

  def absolute(mod, path)
    first, *rest = path
    base = case first
           when "crate" then []
           when "self" then mod
           when "super" then mod[0...-1]
           end
    base = base[0...-1] while rest.first == "super" && rest.shift
    base + rest
  end

  # "a::{b, c::d}" gives [a, b] and [a, c, d].
  def expand(tree)
    head, brace, inner = tree.gsub(/\s+/, " ").partition("{")
    heads = head.split("::").map { |word| word[/\w+/] }.compact
    return [heads] if brace.empty?

    split(inner.delete_suffix("}")).flat_map { |part| expand(part.strip.sub(/ as \w+\z/, "")).map { |tail| heads + (tail == ["self"] ? [] : tail) } }
  end

  def split(inner)
    depth = 0
    inner.each_char.slice_when do |before, _|
      depth += { "{" => 1, "}" => -1 }.fetch(before, 0)
      before == "," && depth.zero?
    end.map { |chars| chars.join.delete_suffix(",") }.reject { |part| part.strip.empty? }
  end

  # Groups of children of which each reaches each.
  def components(known)
    reach = known.keys.to_h { |from| [from, reached(known, from)] }
    reach.keys.group_by { |from| reach.keys.select { |to| to == from || (reach[from].include?(to) && reach[to].include?(from)) }.sort }
      .keys.select { |names| names.length > 1 }
  end

  def reached(known, from)
    seen = []
    open = [from]
    while (name = open.shift)
      known.key?(name) && known[name].each_key { |to| seen.include?(to) || (seen << to && open << to) }
    end
    seen
  end
end
