# frozen_string_literal: true

# Shows the native part the name of a thread that never begins: nothing but this object is made for
# it. To be loaded within a module of its own, as layout_proof/stacks.rb is.

catch(:name) do
  Class.new(Thread) do
    define_method(:initialize) do
      self.name = "rperf"
      Rperf::Native.locate_thread_names(self)
      throw(:name)
    end
  end.new
end
