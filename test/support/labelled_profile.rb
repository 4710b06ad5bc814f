# frozen_string_literal: true

require_relative "test_helper"
require "rperf"

# A profile file that a document takes for granted: two endpoints of a server, in cpu mode.
module LabelledProfile
  ENDPOINTS = {"GET /api/users" => "UsersController#index", "GET /" => "HomeController#show"}.freeze

  # Writes it, in the format that the name of the file says.
  def self.write(path)
    samples = ENDPOINTS.values.map.with_index(1) { |name, set| [[["app.rb", name], ["app.rb", "<main>"]], set * 5_000_000, 1, set] }
    label_sets = [{}, *ENDPOINTS.keys.map { |endpoint| {endpoint:} }]
    Rperf.save(path, {mode: :cpu, frequency: 1000, samples:, label_sets:})
  end
end
