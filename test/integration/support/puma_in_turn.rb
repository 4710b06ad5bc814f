# frozen_string_literal: true

require "nio"
require "puma"
require "puma/server"

# Puma's server thread closes the pipe from which it read that it shall stop, while the signal
# handler may not be back from writing into it, or writes again: the master repeats its signal every
# 0.2 s. Ruby 3.4 then sometimes leaves the one that closes asleep for ever, more often on a busy
# machine, with rperf and without (Puma's issue 3677): a write that ends in a signal handler may not
# lock the mutex by which IO#close waits for it (thread_io_wake_pending_closer in thread.c). Here
# the word is written once, and the server thread goes on when the handler has done so.
module PumaInTurn
  def initialize(...)
    @written = Thread::Queue.new
    super
  end

  private

  def notify_safely(...)
    return if @told
    @told = true
    super
    @written << true
  end

  def handle_check
    super.tap { @written.pop }
  end
end

Puma::Server.prepend(PumaInTurn)

# nio4r without its C code reads from its pipe as many bytes as fstat(2) says that it has. On Linux
# that is none: a selector that was woken once would never sleep again.
module SelectorAsleep
  def initialize(...)
    super
    @wakeup.define_singleton_method(:read) { |_size| read_nonblock(1 << 16) }
  end
end

NIO::Selector.prepend(SelectorAsleep)
