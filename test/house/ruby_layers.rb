# frozen_string_literal: true

require "prism"

# Who may know whom in lib/ and exe/: which files a file may load, and who may name the extension.
#
#   exe -> cli -> facade (rperf.rb and what it is made of) -> native
#   integrations (middleware, rack, active_job, sidekiq, railtie) -> rperf.rb only; the railtie also what makes it up
#   cli, facade -> web (the server of the page), which knows no profiles
class RubyLayers
  LOADERS = { require: 0, require_relative: 0, load: 0, autoload: 1 }.freeze
  INTEGRATIONS = %r{\Arperf/(?:middleware(?:/.*)?|rack|active_job|sidekiq)\z}
  # Layer => what files of it may load.
  MAY_LOAD = {
    exe: %i[cli], cli: %i[cli entry facade web], integration: %i[entry integration],
    railtie: %i[facade integration railtie], entry: %i[facade native integration railtie],
    facade: %i[facade entry native web], native: %i[extension facade], web: %i[web facade]
  }.freeze

  # @param file [String] relative to the root: "lib/rperf/cli.rb", "exe/rperf"
  # @param text [String] its contents
  # @return [Array<String>] a sentence for each forbidden load or name
  def violations(file, text)
    layer = layer_of(feature(file)) || (return [])
    visitor = Visitor.new
    Prism.parse(text).value.accept(visitor)
    wrong_loads(file, layer, visitor.loads) + wrong_names(file, layer, visitor.constants)
  end

  private

  def feature(file) = file.start_with?("exe/") ? file : file.delete_prefix("lib/").delete_suffix(".rb")

  # nil for what is not of this gem.
  def layer_of(feature)
    case feature
    when %r{\Aexe/} then :exe
    when %r{\Arperf/cli(?:/|\z)} then :cli
    when INTEGRATIONS then :integration
    when %r{\Arperf/railtie(?:/|\z)} then :railtie
    when %r{\Arperf/web/} then :web
    when "rperf" then :entry
    when "rperf/native", "rperf/beginning" then :native
    when %r{\Arperf/rperf(?:\.so|\.bundle)?\z} then :extension
    when %r{\Arperf/} then :facade
    end
  end

  def wrong_loads(file, layer, loads)
    loads.filter_map do |method, name|
      wanted = layer_of(method == :require_relative ? relative(file, name) : name.delete_suffix(".rb"))
      next if wanted.nil? || MAY_LOAD.fetch(layer).include?(wanted)

      "#{file}: a file of the layer #{layer} may not load #{name} (#{wanted})"
    end
  end

  def relative(file, name)
    feature(File.join(File.dirname(file), name).then { |path| File.expand_path(path, "/").delete_prefix("/") })
  end

  def wrong_names(file, layer, constants)
    return [] if %i[entry facade native].include?(layer) || !constants.include?(:Native)

    ["#{file}: a file of the layer #{layer} may not name Native"]
  end

  # Collects what a file loads by a literal name, and the constants that it names.
  class Visitor < Prism::Visitor
    attr_reader :loads, :constants

    def initialize
      @loads = []
      @constants = []
      super
    end

    def visit_call_node(node)
      position = LOADERS[node.name]
      name = position && node.arguments&.arguments&.at(position)
      @loads << [node.name, name.unescaped] if name.is_a?(Prism::StringNode)
      super
    end

    def visit_constant_read_node(node) = @constants << node.name

    def visit_constant_path_node(node)
      @constants << node.name
      super
    end
  end
end
