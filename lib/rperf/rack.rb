# frozen_string_literal: true

require_relative "middleware"

module Rperf
  # Another name of Middleware, which says that it is for Rack.
  RackMiddleware = Middleware
end
