# frozen_string_literal: true

require "rack/lint"
require "rack/mock_request"
require "rperf/viewer"

# Requests to Rperf::Viewer, each checked by Rack, in an environment that is no development.
module ViewerRequests
  def setup
    @environment = %w[RACK_ENV RAILS_ENV].to_h { |name| [name, ENV.delete(name)] }
  end

  def teardown
    Rperf.stop
    ENV.update(@environment)
  end

  def viewer(permit: ->(_env) { true }, **) = Rperf::Viewer.new(permit:, **)

  # The answer to a request.
  def request(app, path = "/", method: "GET", root: "", input: "", **headers)
    Rack::MockRequest.new(Rack::Lint.new(app)).request(method, path, "SCRIPT_NAME" => root, :input => input, **headers.transform_keys(&:to_s))
  end
end
