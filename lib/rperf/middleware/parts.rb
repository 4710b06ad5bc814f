# frozen_string_literal: true

module Rperf
  class Middleware
    # The parts of a request. The first one is the application's call. A body that makes its parts
    # later adds others: the request is paused between them, so that what its thread does meanwhile
    # does not count. Each part is measured on the thread and fiber that runs it.
    #
    # A paused request ends with `finish`, with its last part, or when the next request begins on
    # the fiber that made it: some servers never close a body.
    module Parts
      # Key of the fiber's last request that was kept, in Thread#[].
      OPEN = :__rperf_open_request

      # Keeps the request open, while it runs: it is not over when the application has returned.
      def keep
        @kept = true
        # A request within this one is a part of it.
        before = Thread.current[OPEN]
        @before = before if before&.open?
        Thread.current[OPEN] = self
      end

      # Returns whether the request has begun and has not ended.
      def open? = !@token.nil?

      # Returns whether no part of it runs.
      def paused? = @running.nil?

      # Runs the block as a part of the request. If the request is over, or another part runs, the
      # block is only labelled.
      #
      # last: whether the request ends with the block
      def resume(last: false, &)
        return part(last, @token, &) if @token && paused?
        begin
          Rperf.profile(key => name, &)
        ensure
          finish if last
        end
      end

      # Ends the request. A part that runs on this fiber goes on, and ends the request then. A part
      # on another fiber does not: the server has left it.
      def finish
        @kept = false
        leave if @token && !@running.equal?(Fiber.current)
      end

      private

      # Begins the first part, and ends the fiber's request before. `thread`: the calling one.
      def begin_parts(thread)
        thread[OPEN]&.finish
        @running = Fiber.current
      end

      def part(last, token, &)
        @kept = !last
        @running = Fiber.current
        go_on(&)
      rescue Exception => error # rubocop:disable Lint/RescueException -- it goes on
        left_by(error)
        raise
      ensure
        @token ? leave : stop(token) # `finish` has ended the request meanwhile.
      end

      # Ends the running part, and the request if it is not kept. An interrupt may raise at each
      # step; the next steps must follow nevertheless.
      def leave
        return pause if @kept
        return super if @kept.nil? # It was never kept open.
        begin
          @before&.finish
          Thread.current[OPEN] = nil if Thread.current[OPEN].equal?(self)
        ensure
          super
        end
      end

      def pause
        @running = nil
        rename(last_name)
      ensure
        stop(@token)
      end
    end
  end
end
