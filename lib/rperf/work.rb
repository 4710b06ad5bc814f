# frozen_string_literal: true

require_relative "facade"

module Rperf
  # A unit of work: a request or a job. While it runs, a label has its name in all samples; when it
  # ends, its figures are added to the ledger (see Rperf.ledger). Rperf.work yields it to its block.
  class Work
    # Keys of the labels that have the name, by kind.
    LABELS = {request: :endpoint, job: :job}.freeze

    class << self
      # Object that is notified of each unit of work when it begins and when it has ended, on its
      # thread: `began(work)` and `ended(work)`, which must not raise; nil: none. It is not notified
      # of the end of units that began before it was set.
      attr_reader :observer

      # Sets the observer.
      def observer=(observer)
        @observer = observer
        Native.watch_works(!observer.nil?)
      end

      # Returns the labels of units whose name is the value of this key, and may change.
      def late_labels(key) = {key => Native::NAME_OF_WORK}.freeze

      # Returns the name of a request that has no other name, without parts that look like an id:
      # "GET /users/:id". There may be as many names as there are paths.
      def endpoint_by_path(env)
        Native.endpoint_by_path(env["REQUEST_METHOD"], env["SCRIPT_NAME"], env["PATH_INFO"] || env["REQUEST_PATH"])
      end
    end

    # :request or :job.
    attr_reader :kind
    # The label's key, a Symbol.
    attr_reader :key
    # The label's value, as far as it is known, a String.
    attr_reader :name
    # Duration in seconds, once the unit has ended in the session in which it began; otherwise nil.
    attr_reader :seconds

    # labels: the labels, a Hash: of a unit that is `late`, those of Work.late_labels; nil: the name
    # late:   whether the name may change while the unit runs
    def initialize(kind, name, key: LABELS.fetch(kind), labels: nil, late: false)
      @kind = kind
      @key = key
      @name = name
      @labels = labels || {key => name}
      @late = late
    end

    # Runs the block, which gets this object, with the labels, and profiles it also in a session
    # that was started with `defer: true`. Exceptions and throws of the block pass through. Without
    # a session it only calls the block.
    #
    # This class and Request call few methods: code that a request runs once is in no cache of the
    # processor, and each call takes 1 to 3 us.
    def run(&)
      # An interrupt may raise just after this call. So it sets @token itself.
      more = Native.enter_work(self, @name, @kind, @late, @labels)
      more ? run_watched(&) : yield(self)
    rescue Exception => error # rubocop:disable Lint/RescueException -- it goes on
      @failed = true
      @exception = error
      raise
    ensure
      leave if @token
    end

    # Marks the unit as failed, though it raises nothing.
    def error! = @failed = true

    # Returns whether the unit has stopped for now, to go on later.
    def paused? = false

    # Returns whether the unit failed: an exception left it, or error! was called.
    def failed? = @failed == true

    # The exception that has left the unit, or nil.
    attr_reader :exception

    # Returns "#<Rperf::Work job import>".
    def inspect = "#<#{self.class} #{@kind} #{@name}>"

    private

    # Runs the block where an observer is notified, or the session is deferred. Stacks of all other
    # units do without these frames.
    def run_watched
      # The observer belongs to the main Ractor.
      (@observer = Work.observer if Ractor.main?)&.began(self)
      Native.deferred_session ? Rperf.profile { yield self } : yield(self)
    end

    # Ends the unit. An interrupt may raise at each step; the next steps must follow nevertheless.
    def leave
      failed = failed?
      @name = last_name
    ensure
      begin
        @seconds = Native.leave_work(@token, @name, @key, failed || false)
        @token = nil
      ensure
        @observer&.ended(self)
      end
    end

    # Runs the block as another part of the unit, which `stop` has paused, on any thread. The caller
    # ends the part by `stop` or `leave`, whatever happens.
    def go_on(&block)
      return yield unless Native.resume_work(@token) # Its session has ended.
      Native.set_labels(@labels)
      Native.deferred_session ? Rperf.profile(&block) : yield
    end

    # Pauses the unit with this token, and restores the labels from before the part.
    def stop(token) = Native.pause_work(token)

    # Sets a better name, if the unit was made with `late`. Any thread may call this method.
    def rename(name)
      @name = name
      # The unit may end meanwhile.
      token = @token
      Native.name_work(token, name) if token
      name
    end

    # Returns the name when the block has ended, for the ledger and all samples.
    def last_name = @name
  end

  # A unit of work that Rperf.work yields to its block if no session runs.
  class IdleWork < Work
    # Does nothing.
    def error! = nil
  end
  private_constant :IdleWork

  # The only IdleWork, for all Ractors.
  NO_WORK = Ractor.make_shareable(IdleWork.new(:job, ""))
  private_constant :NO_WORK

  # Runs the block as a unit of work: samples have its name as the label `job` (`endpoint` for a
  # request), and Rperf.ledger has its figures. The block gets a Work: `work.error!` marks it as
  # failed, and so does an exception that leaves the block. Returns the block's value. Without a
  # session it only calls the block. Threads of any Ractor may call it.
  #
  # kind: :job, or :request; a job within a job of the same name, and a request within a request,
  # are counted as one
  # labels: further labels, as Rperf.label sets them
  #
  # Raises ArgumentError without a block, without a name, for another kind, and for a key of a label
  # that is no Symbol or String.
  def self.work(name, kind: :job, **labels)
    raise ArgumentError, "Rperf.work needs a block: the work" unless block_given?
    text = name.to_s
    raise ArgumentError, "the name of a unit of work must be a text, not #{Error.shown(name)}: say what work it is" unless text.is_a?(String) && !text.empty?
    key = Work::LABELS[kind] or raise ArgumentError, "kind: must be :job or :request, not #{Error.shown(kind)}"
    # Without a session labels only have their keys checked, which takes longer than all the rest.
    return labels.empty? ? yield(NO_WORK) : label(**labels) { yield(NO_WORK) } unless Native.running?
    Work.new(kind, text, key:, labels: {key => text, **labels}).run { |work| yield work }
  end
end
