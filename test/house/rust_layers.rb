# frozen_string_literal: true

require_relative "rust_source"

# Who may know whom in the two crates: which top-level modules a module may name.
class RustLayers
  BASE = %w[ids time state unit work config error parts].freeze
  CORE = {
    "accounting" => BASE, "collect" => BASE, "native" => BASE, "heap" => BASE + %w[collect],
    "trace" => BASE + %w[accounting collect],
    "profile" => BASE + %w[collect], "query" => BASE + %w[profile], "format" => BASE + %w[profile],
    # Above the formats: it says a pprof file's comments as its encoder does.
    "report" => BASE + %w[profile query format],
    "page" => BASE + %w[profile],
    **BASE.to_h { |name| [name, BASE] }
  }.freeze

  # In the binding crate every module that has no row here belongs to the session's layer.
  GROUND = %w[os vm].freeze
  TOP = %w[api].freeze
  BINDING = {
    "os" => [], "vm" => %w[os], "config" => %w[os],
    "threads" => GROUND,
    "sampler" => GROUND + %w[config threads memory],
    "engine" => GROUND + %w[config threads sampler],
    "memory" => GROUND + %w[config],
    "hooks" => GROUND + %w[config threads sampler engine memory]
  }.freeze

  # @param crate [Symbol] :core or :binding
  # @param files [Array<String>] all files of the crate, relative to its src/
  def initialize(crate, files)
    @crate = crate
    @files = files
  end

  # @param file [String] relative to src/
  # @param text [String] its contents
  # @return [Array<String>] a sentence for each forbidden path
  def violations(file, text)
    own = top_module(file)
    return [] if own == "lib"
    return ["#{file}: module #{own} has no place in RustLayers::CORE"] if @crate == :core && !CORE.key?(own)

    code = RustSource.code(text)
    (named_modules(file, own, code) - [own]).reject { |name| may?(own, name) }
      .map { |name| "#{file}: #{own} may not name #{name}" } + session_named(file, own, code)
  end

  private

  def top_module(file) = file[%r{\A\w+}]

  def named_modules(file, own, code)
    climbed = RustSource.super_modules(code).reject { |name| below?(own, name) }
    modules = RustSource.crate_modules(code) + climbed
    modules.uniq.select { |name| module?(name) }
  end

  # What `super::` reaches is most often a sibling below the same top-level module.
  def below?(own, name) = @files.any? { |file| file.match?(%r{\A#{own}/(?:.*/)?#{name}(?:\.rs|/)}) }

  def module?(name) = @files.any? { |file| top_module(file) == name }

  def may?(own, name)
    return CORE.fetch(own).include?(name) if @crate == :core
    return BINDING.fetch(own).include?(name) if BINDING.key?(own)

    TOP.include?(own) || !TOP.include?(name)
  end

  def session_named(file, own, code)
    return [] unless @crate == :binding && BINDING.key?(own) && code.match?(/\bSession\b/)

    ["#{file}: #{own} may not name Session"]
  end
end
