# frozen_string_literal: true

require "prism"

module Rperf
  class Page
    # Owners of the lines of a Ruby file: a method, the body of a class or module, a block outside
    # of methods, or the file itself. A comment right above a definition belongs to the definition.
    class RubyScopes
      # A definition, with its name if it is a method. Two of them are never equal.
      class Scope
        attr_reader :name

        def initialize(name) = @name = name
      end

      # Names of functions that run where methods are defined: `<main>`, `<class:Shop>`.
      BODY = /\A(?:<|singleton class)/

      # Returns the owners for the content of a file; nil where it is not Ruby.
      def self.of(text)
        result = Prism.parse(text)
        new(text.lines("\n"), result.value) if result.success?
      end

      def initialize(lines, program)
        @lines = lines
        @owners = Array.new(lines.length + 1, Scope.new(nil))
        @bodies = @owners.dup
        program.accept(Visitor.new(self))
      end

      # Returns the scopes of a function with this label, which starts on one line and has samples
      # on others: see `include?`. A method of another name is left out, wherever the samples are,
      # since the file may have changed.
      def of_function(label, start, lines)
        return @bodies.values_at(*lines).compact.uniq if label.match?(BODY)
        scopes = @owners.values_at(*[start, *lines].reject(&:zero?)).compact.uniq
        scopes.select { |scope| scope.name.nil? || label.include?(scope.name) }
      end

      # Whether the line belongs to one of the scopes that `of_function` returned.
      def include?(scopes, line) = scopes.include?(@owners[line])

      # Notes the lines of a definition. Inner definitions come after outer ones. body: whether it
      # is a body in which methods are defined
      def add(location, name, body: false)
        scope = Scope.new(name)
        lines = first_line(location)..location.end_line
        @owners.fill(scope, lines)
        @bodies.fill(scope, lines) if body
      end

      private

      # First line of the comment above, if there is one, else of the definition.
      def first_line(location)
        line = location.start_line
        line -= 1 while line > 1 && @lines[line - 2].match?(/\A\s*#(?!!)/)
        line
      end

      # Finds the definitions of a file.
      class Visitor < Prism::Visitor
        def initialize(scopes)
          super()
          @scopes = scopes
          @in_method = false
        end

        def visit_def_node(node)
          @scopes.add(node.location, node.name.name)
          outside, @in_method = @in_method, true
          super
          @in_method = outside
        end

        def visit_class_node(node)
          @scopes.add(node.location, nil, body: true)
          super
        end
        alias visit_module_node visit_class_node
        alias visit_singleton_class_node visit_class_node

        def visit_block_node(node)
          @scopes.add(node.location, nil) unless @in_method
          super
        end
        alias visit_lambda_node visit_block_node
      end
      private_constant :Scope, :Visitor
    end
  end
end
