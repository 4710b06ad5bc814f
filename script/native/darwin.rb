# frozen_string_literal: true

require "rbconfig"

{ "host" => "arm64-apple-darwin", "arch" => "arm64-darwin", "host_os" => "darwin", "target_os" => "darwin", "build_os" => "darwin",
  "host_cpu" => "arm64", "target_cpu" => "arm64", "DLEXT" => "bundle" }.each do |name, value|
  [RbConfig::CONFIG, RbConfig::MAKEFILE_CONFIG].each { |config| config[name] = value }
end
