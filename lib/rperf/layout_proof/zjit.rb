# frozen_string_literal: true

# The frames that ZJIT pushes lack words that the interpreter and YJIT write (`pc` in Ruby 4.0; from
# 4.1 on `iseq`, too, and one may stand for several calls): no layout holds while it is on. It is
# loaded where this Ruby has ZJIT, which a program may enable at any time, for good.
if RubyVM::ZJIT.enabled?
  Rperf::Native.withdraw_layout
else
  RubyVM::ZJIT.singleton_class.prepend(Module.new do
    # As ZJIT's own, after sessions have begun to take stacks at safepoints.
    def enable(...) = Rperf::Native.withdraw_layout && super
  end)
end
