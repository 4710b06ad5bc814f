# frozen_string_literal: true

# Has the program's calls go through ProcessHooks from here on. To be loaded once in a process, in a
# module of its own (`load(path, true)`): what runs here is garbage afterwards.

Process.singleton_class.prepend(Rperf::ProcessHooks::Beginnings, Rperf::ProcessHooks::Daemons, Rperf::ProcessHooks::Endings)
Kernel.singleton_class.prepend(Rperf::ProcessHooks::Endings)

# Calls without a receiver. Not prepended to Kernel: a library that makes an alias there and defines
# the method anew would call itself for ever.
class ::Object
  include Rperf::ProcessHooks::Endings
  private :exec, :exit!
end
