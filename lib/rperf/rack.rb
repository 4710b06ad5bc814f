# frozen_string_literal: true

require_relative "middleware"

module Rperf
  # The same under the name that says for what.
  RackMiddleware = Middleware
end
