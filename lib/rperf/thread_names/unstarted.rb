# frozen_string_literal: true

# Shows the native part the name of a thread that never starts: only the thread's object is made.
# This file is loaded within a module of its own, like layout_proof/stacks.rb.

catch(:name) do
  Class.new(Thread) do
    define_method(:initialize) do
      self.name = "rperf"
      Rperf::Native.locate_thread_names(self)
      throw(:name)
    end
  end.new
end
