# frozen_string_literal: true

require "prism"

# Public methods without a comment directly above.
class RubyDocs
  # @param file [String] for the sentences
  # @param text [String] the contents of a Ruby file
  # @return [Array<String>] a sentence for each public method that says nothing about itself
  def violations(file, text)
    result = Prism.parse(text)
    visitor = Visitor.new(result.comments.map { |comment| comment.location.end_line })
    result.value.accept(visitor)
    visitor.bare.map { |name, line| "#{file}:#{line}: the public method #{name} has no comment" }
  end

  # Follows `private`, `public`, `private def`, `private :name`, `private_class_method` and
  # `private_constant` through the bodies of classes and modules.
  class Visitor < Prism::Visitor
    HIDING = %i[private protected private_class_method].freeze

    # @return [Array<Array(Symbol, Integer)>] names and lines
    attr_reader :bare

    # @param comment_lines [Array<Integer>] lines on which a comment ends
    def initialize(comment_lines)
      @comment_lines = comment_lines
      @bare = []
      super()
    end

    def visit_program_node(node) = visit_scope(node.statements)
    def visit_class_node(node) = visit_scope(node.body)
    def visit_module_node(node) = visit_scope(node.body)
    def visit_singleton_class_node(node) = visit_scope(node.body)
    # `Struct.new(...) do ... end`
    def visit_block_node(node) = visit_scope(node.body)

    private

    # One body: its statements in order, since `private` holds for what follows.
    def visit_scope(body)
      statements = body.respond_to?(:body) ? body.body : []
      hidden = hidden_names(statements)
      public_now = true
      statements.each do |statement|
        public_now = statement.name == :public if section?(statement)
        visit_statement(statement, public_now, hidden)
      end
    end

    def section?(node)
      node.is_a?(Prism::CallNode) && node.arguments.nil? && %i[private protected public].include?(node.name)
    end

    def visit_statement(statement, public_now, hidden)
      case statement
      when Prism::DefNode then note(statement) if open?(statement, public_now) && !hidden.include?(statement.name)
      when Prism::ClassNode, Prism::ModuleNode then visit(statement) unless hidden.include?(statement.name)
      when Prism::CallNode then visit(statement) unless HIDING.include?(statement.name)
      else visit(statement)
      end
    end

    # `private` does not concern methods of `self`; a constructor is documented by its class.
    def open?(definition, public_now) = (public_now || definition.receiver) && definition.name != :initialize

    # Names given to private, private_class_method and private_constant in this body.
    def hidden_names(statements)
      calls = statements.grep(Prism::CallNode).select { |call| [*HIDING, :private_constant].include?(call.name) }
      calls.flat_map { |call| call.arguments&.arguments.to_a }
        .grep(Prism::SymbolNode).map { |symbol| symbol.unescaped.to_sym }
    end

    def note(definition)
      line = definition.location.start_line
      @bare << [definition.name, line] unless @comment_lines.include?(line - 1)
    end
  end
end
