# frozen_string_literal: true

require_relative "facade"

module Rperf
  # A unit of work: a block in which a label has one value in all samples, however late that value
  # is known. A request is one, whose endpoint is known when the router has found it.
  class Work
    # The label's key, a Symbol.
    attr_reader :key
    # Its value, as far as it is known by now, a String.
    attr_reader :name

    def initialize(key, name)
      @key = key
      @name = name
    end

    # Runs the block with the label, and profiles it also in a session that was started with
    # `defer: true`. What it raises or throws passes through. Only calls it when no session runs.
    def run
      @token = Native.enter_work(@name) or return yield

      begin
        # In here, since an interrupt may raise when it has just set them.
        Native.set_labels(@key => Native::NAME_OF_WORK)
        Rperf.profile { yield }
      ensure
        Native.leave_work(@token, @name = last_name)
      end
    end

    # The value is known better now. Any thread may say so while the block runs.
    def name=(name)
      @name = name
      Native.name_work(@token, name) if @token
    end

    private

    # The value when the block has ended: that of all its samples.
    def last_name = @name
  end
end
