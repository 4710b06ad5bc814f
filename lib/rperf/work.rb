# frozen_string_literal: true

require_relative "facade"

module Rperf
  # A unit of work: a request or a job. While it runs, a label has its name in all samples; when it
  # ends, the ledger has what it took (see Rperf.ledger). What Rperf.work hands to its block.
  class Work
    # The label that has the name, by what it is.
    LABELS = {request: :endpoint, job: :job}.freeze

    class << self
      # What is told of each unit of work when it begins and when it has ended, on its thread:
      # `began(work)` and `ended(work)`, which must not raise; nil: nothing. Of units that began
      # before, it hears nothing.
      attr_accessor :observer

      # What a request with this Rack environment is called that nothing else names:
      # "GET /users/:id", without what looks like an id. There may be as many as there are paths.
      def endpoint_by_path(env)
        Native.endpoint_by_path(env["REQUEST_METHOD"], env["SCRIPT_NAME"], env["PATH_INFO"] || env["REQUEST_PATH"])
      end
    end

    # :request or :job.
    attr_reader :kind
    # The label's key, a Symbol.
    attr_reader :key
    # Its value, as far as it is known by now, a String.
    attr_reader :name
    # How many seconds it took, once it has ended in the session in which it began; else nil.
    attr_reader :seconds

    # labels: further labels, a Hash of Symbols
    # late:   whether the name may change while it runs
    def initialize(kind, name, key: LABELS.fetch(kind), labels: nil, late: false)
      @kind = kind
      @key = key
      @name = name
      @labels = labels
      @late = late
    end

    # Runs the block, which gets this object, with the labels, and profiles it also in a session
    # that was started with `defer: true`. What it raises or throws passes through. Only calls it
    # when no session runs.
    #
    # There are few methods here, and in Request: what a request runs once is in no cache of the
    # processor, and each method takes 1 to 3 us.
    def run
      @token = Native.enter_work(@name, @kind, @late) or return yield(self)

      begin
        # In here, since an interrupt may raise when it has just set them.
        Native.set_labels({@key => @late ? Native::NAME_OF_WORK : @name})
        Native.set_labels(@labels) if @labels
        # It belongs to the main Ractor.
        (@observer = Work.observer if Ractor.main?)&.began(self)
        # Most sessions are not deferred: their units are spared the frames of Rperf.profile.
        Native.deferred_session ? Rperf.profile { yield self } : yield(self)
      rescue Exception => error # rubocop:disable Lint/RescueException -- it goes on
        @failed = true
        @exception = error
        raise
      ensure
        leave
      end
    end

    # It failed, though it raises nothing.
    def error! = @failed = true

    # Whether it failed: an exception left it, or error! was called.
    def failed? = @failed == true

    # The exception that has left it, or nil.
    attr_reader :exception

    # "#<Rperf::Work job import>"
    def inspect = "#<#{self.class} #{@kind} #{@name}>"

    private

    # At its end. An interrupt may raise at each step, and the next ones must follow all the same.
    def leave
      @name = last_name
    ensure
      begin
        took = Native.leave_work(@token, @name, @key, @failed == true)
        @token = nil
        @seconds = took / 1e9 if took
      ensure
        @observer&.ended(self)
      end
    end

    # The name of such a one is known better now. Any thread may say so.
    def rename(name)
      @name = name
      # It may end meanwhile.
      token = @token
      Native.name_work(token, name) if token
      name
    end

    # The name when the block has ended, in the ledger and in all samples.
    def last_name = @name
  end

  # What Rperf.work hands to its block where no session runs.
  class IdleWork < Work
    # Nothing is kept.
    def error! = nil
  end
  private_constant :IdleWork

  # The only one, for all Ractors.
  NO_WORK = Ractor.make_shareable(IdleWork.new(:job, ""))
  private_constant :NO_WORK

  # Runs the block as a unit of work: in samples the label `job` (`endpoint` for a request) is its
  # name, and Rperf.ledger has what it took. The block gets a Work: `work.error!` says that it
  # failed; an exception that leaves the block says so, too. Returns the block's value; only calls
  # it when no session runs. Threads of any Ractor may call it.
  #
  # kind: :job, or :request; a job within a job of the same name, and a request within a request,
  # are counted as one
  # labels: further labels, as Rperf.label sets them
  #
  # Raises ArgumentError without a block, and for another kind.
  def self.work(name, kind: :job, **labels)
    raise ArgumentError, "Rperf.work needs a block: the work" unless block_given?
    key = Work::LABELS[kind] or raise ArgumentError, "kind: must be :job or :request, not #{kind.inspect}"
    return yield(NO_WORK) unless Native.running?
    Work.new(kind, name.to_s, key:, labels: (labels unless labels.empty?)).run { |work| yield work }
  end
end
