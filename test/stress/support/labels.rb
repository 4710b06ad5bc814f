# frozen_string_literal: true

module Stress
  # Which labels can occur in this program. A label that cannot is a frame that was read wrongly.
  class Labels
    SYNTHETIC = ["[GVL blocked]", "[GVL wait]", "[GC marking]", "[GC sweeping]", "[CPU wait]", "[truncated]", "[native thread]", "[no Ruby code]"].freeze
    TOP = /\A<(main|top \(required\)|compiled|internal:[\w\/]+|(class|module):\w+|singleton class)>\z/
    NESTED = /\A(?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )+/
    OWNED = /\A(?<owner>.+)(?<kind>[#.])(?<name>[^#.]+|\.\.+)\z/
    GENERATED = /\Agenerated_\w+\z/
    # Methods of Ruby's own that stand for keywords: when YJIT is enabled, Integer undefines some.
    KEYWORD = /\Acore#\w+\z/
    # Classes without a name, and classes that only one object has.
    ANONYMOUS = /\A#<(Class|Module|refinement|Object|Stress)\b.*>\z/

    def initialize
      @modules = {}
      ObjectSpace.each_object(Module) { |mod| (name = name_of(mod)) && @modules[name] = mod }
      @known = {}
    end

    def known?(label)
      @known.fetch(label) { @known[label] = SYNTHETIC.include?(label) || exists?(label.sub(NESTED, "")) }
    end

    private

    # Some classes have a `name` of their own.
    def name_of(mod) = Module.instance_method(:name).bind_call(mod)

    def exists?(label)
      return true if [TOP, GENERATED, KEYWORD].any? { |pattern| pattern.match?(label) }

      owned = OWNED.match(label) or return any_has?(label)
      GENERATED.match?(owned[:name]) || owner_has?(owned[:owner], owned[:kind], owned[:name])
    end

    def owner_has?(owner, kind, name)
      return any_has?(name) if ANONYMOUS.match?(owner)

      mod = @modules[owner] or return false
      mod = mod.singleton_class if kind == "."
      defines?(mod, name)
    end

    # For anonymous classes, and for blocks in a fiber or in define_method, whose labels name no
    # class.
    def any_has?(name)
      @modules.any? { |_, mod| defines?(mod, name) || defines?(mod.singleton_class, name) }
    end

    def defines?(mod, name) = mod.method_defined?(name) || mod.private_method_defined?(name)
  end
end
