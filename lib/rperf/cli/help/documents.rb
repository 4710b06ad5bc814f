# frozen_string_literal: true

module Rperf
  class CLI
    class Help
      # The documents of the gem (docs/), each a topic of `rperf help`.
      class Documents
        DIRECTORY = File.expand_path("../../../../docs", __dir__)
        # The topic that lists the others.
        INDEX = "topics"

        def initialize(directory = DIRECTORY)
          @directory = directory
        end

        # Names of all topics. Those for users of rperf come first.
        def names = [INDEX, *paths.keys]

        # Returns the text of a topic in Markdown, or nil where there is none.
        def markdown(name)
          path = name == INDEX ? index : paths[name]
          File.read(path, encoding: Encoding::UTF_8) if path && File.file?(path)
        end

        private

        def index = File.join(@directory, "README.md")

        # Paths of the topics: {name => path}.
        def paths
          @paths ||= ["*.md", "internals/*.md", "*/README.md"].flat_map { |pattern| Dir[File.join(@directory, pattern)].sort }
            .reject { |path| path == index }.to_h { |path| [name(path), path] }
        end

        # Returns the name of a topic. An index (README.md) has the name of its directory.
        def name(path)
          name = File.basename(path, ".md")
          name == "README" ? File.basename(File.dirname(path)) : name
        end
      end
    end
  end
end
