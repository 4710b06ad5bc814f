# frozen_string_literal: true

# Rules for the text of every file of the checkout.
module TextRules
  # Lines. The budgets of the architecture are far below; this is where a file must be split.
  LONGEST_FILE = 400
  CODE = /\.(?:rb|rs|sh)\z|\Abin\/|\Aexe\//

  # Written in pieces, so that this file passes its own check.
  HOSTS = [%w[rubygems org], %w[crates io], %w[npmjs org], %w[npmjs com], %w[debian org], %w[pypi org],
           %w[proxy golang org]].map { |labels| labels.join(".") }.freeze
  # Cargo writes the address of its index there itself.
  HOSTS_EXEMPT = %r{(?:\A|/)Cargo\.lock\z}

  # An absolute path that exists on one machine only. What precedes makes it a part of a longer
  # path.
  LOCAL_PATH = %r{(?<![\w.\-\})\]$*~/>])/(?:root|work|tmp|home/\w+|Users/\w+)/[\w.]}

  UNFINISHED = /\b(?:#{%w[TO FIX].zip(%w[DO ME]).map(&:join).join("|")})\b/

  # Threads, functions and processes are no persons: a sentence names what acts.
  PERSONS = /\b(?:whoever|nobody|somebody|anybody|everybody)\b/i
  # A comment names the constant or the parameter whose value it means.
  PLACEHOLDERS = /\bso (?:many|much)\b/i
  # Words of the engine's past: docs/internals/glossary.md has those of today.
  RETIRED = /\b(?:bells?|tickers?|promptness|scarcity|thread slots?)\b/i
  # The same in the sampler, where they have a meaning of their own.
  RETIRED_IN_ENGINE = /\b(?:stretch(?:es)?|covers|Reserve|Carry|told)\b/
  ENGINE = %r{\Aext/rperf(?:-core)?/src/(?:accounting|engine|threads)/}
  PERSONS_IN = %r{\A(?:ext/[\w-]+/src|lib|exe|docs)/.*\.(?:rb|rs|md)\z}

  # Columns of a line of prose: a comment, or Markdown outside of code, tables, headings, images and
  # links.
  WIDEST_PROSE = 100
  PROSE = { /\.rs\z/ => %r{\A\s*//[/!]? [^|]*\z},
            %r{\.(?:ts|css|c|h)\z} => %r{\A\s*(?://|/\*\*?|\*) [^|]*\z},
            %r{\.(?:rb|sh|yml|toml)\z|\A(?:bin|exe)/|(?:\A|/)[\w-]+\z} => /\A\s*# [^|]*\z/,
            %r{\A(?:docs/.*|bench/results/.*|README|CHANGELOG|CONTRIBUTING|SECURITY)\.md\z} => /\A(?!#|\||\s*!\[|.*\]\(http|    )/ }.freeze
  CODE_IN_MARKDOWN = /^```.*?^```$/m

  # @param file [String] relative to the root
  # @param text [String] its contents
  # @return [Array<String>] a sentence for each broken rule
  def self.violations(file, text)
    return [] if text.include?("\0")

    text = text.dup.force_encoding(Encoding::UTF_8).scrub
    too_long(file, text) + hosts(file, text) + lines(file, text, LOCAL_PATH, "a path of one machine") +
      lines(file, text, UNFINISHED, "a note on unfinished work") + words(file, text) +
      too_wide(file, text)
  end

  def self.too_long(file, text)
    count = text.count("\n")
    file.match?(CODE) && count > LONGEST_FILE ? ["#{file}: #{count} lines, more than #{LONGEST_FILE}: split it"] : []
  end
  private_class_method :too_long

  def self.hosts(file, text)
    return [] if file.match?(HOSTS_EXEMPT)

    lines(file, text, /\b(?:#{HOSTS.map { |host| Regexp.escape(host) }.join("|")})\b/, "a package registry's host")
  end
  private_class_method :hosts

  def self.words(file, text)
    return [] unless file.match?(PERSONS_IN)

    lines(file, text, PERSONS, "a person where it means a thread, function or process") +
      lines(file, text, PLACEHOLDERS, "a value by a placeholder") +
      lines(file, text, file.match?(ENGINE) ? Regexp.union(RETIRED, RETIRED_IN_ENGINE) : RETIRED, "a thing by a word that is not used any more")
  end
  private_class_method :words

  def self.too_wide(file, text)
    prose = PROSE.find { |files,| file.match?(files) }&.last or return []
    text = text.gsub(CODE_IN_MARKDOWN) { |code| "\n" * code.count("\n") } if file.end_with?(".md")
    text.each_line(chomp: true).with_index(1).filter_map do |line, number|
      wide = line.length > WIDEST_PROSE && line.match?(prose) && !line.match?(/\S {2,}\S/)
      "#{file}:#{number}: #{line.length} columns of prose, more than #{WIDEST_PROSE}" if wide
    end
  end
  private_class_method :too_wide

  def self.lines(file, text, pattern, what)
    text.each_line.with_index(1).filter_map do |line, number|
      "#{file}:#{number}: names #{what}: #{line[pattern]}" if line.match?(pattern)
    end
  end
  private_class_method :lines
end
