# frozen_string_literal: true

require "json"
require "sinatra/base"
require_relative "requests"

# An application of Sinatra: JSON of many users, JSON of one, and a page of ERB.
class Application < Sinatra::Base
  set :environment, :production
  set :host_authorization, {}

  get("/users") { JSON.generate(Requests::USERS.map { |user| user.merge("url" => "/users/#{user["id"]}") }) }
  get("/users/:id") { JSON.generate(JSON.parse(JSON.generate(Requests::USERS.fetch(params[:id].to_i)))) }
  get("/page") { erb(Requests::PAGE, locals: {users: Requests::USERS}) }
end

Program = Requests.new(Application.new)
