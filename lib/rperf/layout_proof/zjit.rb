# frozen_string_literal: true

# The frames that ZJIT pushes lack words that the interpreter and YJIT write (`pc` in Ruby 4.0; from
# 4.1 on also `iseq`, and one frame may stand for several calls). No layout holds while ZJIT is on.
# This file is loaded if this Ruby has ZJIT, which a program may enable at any time, permanently.
if RubyVM::ZJIT.enabled?
  Rperf::Native.withdraw_layout
else
  RubyVM::ZJIT.singleton_class.prepend(Module.new do
    # Enables ZJIT, after sessions have switched to taking stacks at safepoints.
    def enable(...) = Rperf::Native.withdraw_layout && super
  end)
end
