# frozen_string_literal: true

# Redirects the program's calls to ProcessHooks. This file must be loaded once in a process, in a
# module of its own (`load(path, true)`), so that its objects are garbage afterwards.

verbose, $VERBOSE = $VERBOSE, nil # They are redefined on purpose.

# Ruby's own methods get other names, by which those of ProcessHooks call them. (A prepended module
# would need no names. But a program that makes an alias of a method, redefines it, and then
# restores the alias, as Minitest's `stub` does, would call itself for ever.)
{Process.singleton_class => %i[_fork daemon exec exit!], Kernel.singleton_class => %i[exec exit!], Kernel => %i[exec exit!]}.each do |owner, names|
  names.each do |name|
    method = owner.instance_method(name)
    method = method.super_method until method.owner == owner # Below what others have prepended.
    owner.define_method("rperf_#{name}", method)
    owner.define_method(name, Rperf::ProcessHooks.instance_method(name))
    owner.send(:private, "rperf_#{name}")
  end
end
Kernel.send(:private, :exec, :exit!)

$VERBOSE = verbose
