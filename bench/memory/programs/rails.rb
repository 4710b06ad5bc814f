# frozen_string_literal: true

require "fileutils"
require "logger"
require "rails"
require "tmpdir"
require "action_controller/railtie"
require_relative "requests"

# An application of Rails: JSON of many users, JSON of one, and a page of ERB.
class Application < Rails::Application
  config.load_defaults 7.2
  config.eager_load = true
  config.enable_reloading = false
  # The command line chooses the VM, whereas Rails enables YJIT by default.
  config.yjit = false
  config.secret_key_base = "for this bench only, and not a secret at all"
  config.logger = Logger.new(File::NULL)
  config.hosts.clear
end

# A directory of views: a template that is not a file is compiled for each request.
VIEWS = Dir.mktmpdir
FileUtils.mkdir_p("#{VIEWS}/users")
File.write("#{VIEWS}/users/page.html.erb", Requests::PAGE)
at_exit { FileUtils.rm_rf(VIEWS) }

# Controller that answers the requests.
class UsersController < ActionController::Base
  append_view_path VIEWS

  def index = render(json: Requests::USERS.map { |user| user.merge("url" => "/users/#{user["id"]}") })

  def show = render(json: Requests::USERS.fetch(params[:id].to_i))

  def page = render(locals: {users: Requests::USERS})
end

ENV["RAILS_ENV"] = "production"
Application.initialize!
Application.routes.draw do
  get "/users", to: "users#index"
  get "/users/:id", to: "users#show"
  get "/page", to: "users#page"
end

Program = Requests.new(Application)
