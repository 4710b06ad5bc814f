# frozen_string_literal: true

require_relative "native"

module Rperf
  # Shows the native part, once in a process, where the VM keeps the name of a thread. (Thread#name
  # cannot be called in the hook in which a thread ends.) Without it threads have numbers only.
  module ThreadNames
    # A thread that never begins: nothing but this object is made for it.
    class Unstarted < Thread
      def initialize
        self.name = "rperf"
        Native.locate_thread_names(self)
        throw ThreadNames
      end
    end
    private_constant :Unstarted

    @done = false

    # Shows it unless that has been done.
    def self.ensure
      return if @done
      @done = true
      catch(self) { Unstarted.new }
    end
  end
end
