# frozen_string_literal: true

module Rperf
  module Web
    # Names that a browser on this machine uses for this machine.
    #
    # A page elsewhere can give its own name the address 127.0.0.1 (DNS rebinding). It would then
    # have the same origin as the pages here, but its requests carry its name in their Host header.
    # The port is not checked, so that a tunnel (`ssh -L`) may have another.
    module Loopback
      ADDRESS = "127.0.0.1"
      HOST = /\A(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?\z/i

      module_function

      # Whether the value of a Host header (nil: there is none) names this machine.
      def host?(host) = HOST.match?(host.to_s)
    end
  end
end
