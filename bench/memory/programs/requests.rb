# frozen_string_literal: true

require "rack"
require "rack/mock"

# Requests to a Rack application, one after the other, in this process.
class Requests
  PATHS = ["/users", "/users/7", "/page", "/users/12"].freeze

  def initialize(application)
    @requests = PATHS.map { |path| Rack::MockRequest.env_for(path) }
    @application = application
  end

  def call
    @requests.each do |request|
      status, _headers, body = @application.call(request.dup)
      raise "status #{status} for #{request["PATH_INFO"]}" unless status == 200
      body.each { |part| part }
      body.close if body.respond_to?(:close)
    end
  end

  # Data that the applications show.
  USERS = Array.new(40) { |number| {"id" => number, "name" => "User #{number}", "tags" => %w[one two three], "score" => number * 1.5} }.freeze
  PAGE = <<~ERB
    <ul>
      <% users.each do |user| %>
        <li id="user-<%= user["id"] %>"><%= user["name"] %>: <%= user["tags"].join(", ") %></li>
      <% end %>
    </ul>
  ERB
end
