# frozen_string_literal: true

require_relative "support/measured"

# Frames that are read from outside while their thread returns from short calls and makes others:
# few stacks have frames of two moments, and what follows a call does not matter.
class TornStacksAccuracyTest < Minitest::Test
  include Measured

  # No more ticks than this, as a part of all, meet a stack of two moments in a loop of calls of
  # some 20 to 50 ns: measured 0 to 0.17 in 60 runs beside builds, mostly 0. It depends on which
  # processors have the two threads, so the best of five counts. (Where stacks are refused whose
  # callers change within 0.3 us, 0 to 0.03; the time of calls is wrong then, see below.)
  TORN_AT_MOST = 0.2
  TRIES = 5
  # Each of the two chains takes half of the time, give or take so much.
  HALF_WITHIN = 0.2
  # Half of a program's equal calls have half of its time, give or take so much: measured 0.47 to
  # 0.51 in 24 runs of calls of 0.5 and 1.3 us. If stacks are refused whose callers change within
  # 0.3 us, up to 0.88.
  FOLLOWED_WITHIN = 0.06
  # No more ticks than this, as a part of all, meet calls so short that their stacks are torn, in a
  # program of calls that take some 0.1 ms.
  FEW = 0.02

  # Two chains of calls that take nothing, in turn. A thousand such turns take less time than one
  # tick.
  CHAINS = <<~'RUBY'
    def c(number) = number + 1
    def b(number) = c(number)
    def a(number) = b(number)
    def g(number) = number + 2
    def e(number) = g(number)
    def d(number) = e(number)

    def turns(count)
      turn = 0
      while turn < count
        a(turn)
        d(turn)
        turn += 1
      end
    end

    data = Rperf.start(mode: :wall, frequency: 10_000) do
      finish = wall + 1_500_000_000
      turns(10_000) while wall < finish
    end
    chains = [%w[a b c], %w[d e g]].map { |names| names.map { |name| "Object##{name}" } }
    of_chain = chains.map { |chain| having(data[:samples], *chain) }
    whole = of_chain.map { |samples| samples.reject { |frames,| frames.last.label == "[truncated]" } }
    gaps = whole.zip(chains).flat_map do |samples, chain|
      samples.map { |frames,| frames.map(&:label) & chain }.reject { |labels| labels == chain.reverse.last(labels.size) || labels.empty? }
    end
    torn = of_chain.inject(:&)
    # Frames of a torn stack are not those of either chain.
    gaps -= torn.map { |frames,| frames.map(&:label) & chains.flatten }.flat_map { |labels| chains.map { |chain| labels & chain } }
    shares = of_chain.map { |samples| weight(samples).fdiv(weight(of_chain.flatten(1))) }
    puts JSON.generate(shares:, gaps: gaps.uniq, torn: torn.sum { |sample| sample.count }, 
      ticks: data[:trigger_count], comments: data[:comments])
  RUBY

  # Equal calls of some 0.6 us. Five of six calls of `again` are followed by `again`; no call
  # of the others is followed by the same.
  FOLLOWED = <<~'RUBY'
    NUMBERS = Array.new(300, 1)
    def again = NUMBERS.sum
    def one = NUMBERS.sum
    def other = NUMBERS.sum
    eval "def turns = 1_000.times { #{[["again"] * 6, %w[one other] * 3].join("; ")} }"
    20.times { turns }

    data = Rperf.start(mode: :cpu, frequency: 4_000) do
      finish = wall + 1_500_000_000
      turns while wall < finish
    end
    again, others = [%w[again], %w[one other]].map do |names|
      weight(having(data[:samples], *names.map { |name| "Object##{name}" }))
    end
    puts JSON.generate(share: again.fdiv(again + others), ticks: data[:trigger_count])
  RUBY

  # Ways to call a method: by its name, a plain call (twice a round) and another one (once), whose
  # code need not name it. (An alias has plain calls, too, that do not name the method: it is told
  # by itself.)
  CALLS = <<~'RUBY'
    def burn = Burning.spent(Burning::CPU) { 3_000.times { |number| number * 2 } }

    module Named
      def first_name = burn
      alias other_name first_name
      def original = burn
    end

    class Work
      include Named

      alias class_name original
      def to_s = (burn; "")
      def to_a = (burn; [])
      def to_ary = (burn; [1])
      def to_proc = (burn; proc {})
      def to_hash = (burn; {})
      def ==(_other) = (burn; true)
      def ===(_other) = (burn; true)
      def +(_other) = burn
      def [](_index) = burn
      def coerce(_other) = (burn; [1, 1])
      def sent = burn
      def passed(*) = burn
      def above(*) = burn
      def each = (burn; yield 1)
      def method_missing(name, *) = name == :ghost ? burn : super
      def respond_to_missing?(_name, _all) = (burn; true)
      def self.const_missing(_name) = (burn; 1)
      def self.inherited(_class) = burn
    end

    class Below < Work
      def above(*) = (super; 1)
    end

    WORK = Work.new
    BELOW = Below.new

    module Plain
      def self.first_name = 2.times { WORK.other_name }
      def self.original = 2.times { WORK.class_name }
      def self.to_s = 2.times { WORK.to_s }
      def self.to_a = 2.times { WORK.to_a }
      def self.to_ary = 2.times { WORK.to_ary }
      def self.to_proc = 2.times { WORK.to_proc }
      def self.to_hash = 2.times { WORK.to_hash }
      def self.== = 2.times { WORK.==(1) }
      def self.=== = 2.times { WORK.===(1) }
      def self.+ = 2.times { WORK.+(1) }
      def self.[] = 2.times { WORK[1] }
      def self.coerce = 2.times { WORK.coerce(1) }
      def self.sent = 2.times { WORK.sent }
      def self.passed = 2.times { WORK.passed }
      def self.above = 2.times { WORK.above }
      def self.each = 2.times { WORK.each { 1 } }
      def self.method_missing = 2.times { WORK.method_missing(:ghost) }
      def self.respond_to_missing? = 2.times { WORK.__send__(:respond_to_missing?, :a, true) }
      def self.const_missing = 2.times { Work.const_missing(:None) }
      def self.inherited = 2.times { Work.inherited(nil) }
    end

    module Other
      def self.first_name = WORK.other_name
      def self.original = WORK.class_name
      def self.to_s = "#{WORK}"
      def self.to_a = [*WORK]
      def self.to_ary = ((one, _two = WORK); one)
      def self.to_proc = [1].each(&WORK)
      def self.to_hash = WORK.passed(**WORK)
      def self.== = WORK != 1
      def self.===
        case 1
        when WORK then 2
        end
      end
      def self.+ = WORK + 1
      def self.[] = WORK[2]
      def self.coerce = 1 + WORK
      def self.sent = WORK.send(:sent)
      def self.passed = WORK.method(:passed).to_proc.call(1)
      def self.above = BELOW.above
      def self.each
        for number in WORK do number end
      end
      def self.method_missing = WORK.ghost
      def self.respond_to_missing? = WORK.respond_to?(:nothing)
      def self.const_missing = Work::None
      def self.inherited = Class.new(Work)
    end

    methods = Plain.singleton_methods(false)
    data = Rperf.start(frequency: 2_000) do
      finish = wall + 2_500_000_000
      methods.each { |method| Plain.public_send(method); Other.public_send(method) } while wall < finish
    end
    burning = having(data[:samples], "Object#burn")
    # Ticks, not their weights: where the machine stands still for a moment, one tick weighs as much
    # as many.
    counts = methods.to_h do |method|
      [method, %w[Plain Other].map { |way| having(burning, "#{way}.#{method}").sum(&:count) }]
    end
    puts JSON.generate(counts:, ticks: data[:trigger_count], comments: data[:comments])
  RUBY

  {interpreter: INTERPRETER, yjit: YJIT}.each do |name, flags|
    define_method("test_short_calls_in_turn_in_the_#{name}") do
      result = nil
      TRIES.times do
        result = measure(CHAINS, *flags)
        break if result.fetch(:torn) <= result.fetch(:ticks) * TORN_AT_MOST
      end
      assert_operator result.fetch(:torn), :<=, result.fetch(:ticks) * TORN_AT_MOST, result.to_s
      assert_empty result.fetch(:gaps), result.to_s
      result.fetch(:shares).each { |share| assert_in_delta 0.5, share, HALF_WITHIN, result.to_s }
    end

    define_method("test_what_follows_a_call_in_the_#{name}") do
      result = measure(FOLLOWED, *flags)
      assert_in_delta 0.5, result.fetch(:share), FOLLOWED_WITHIN, result.to_s
    end

    define_method("test_calls_of_all_kinds_in_the_#{name}") do
      result = measure(CALLS, *flags)
      comment = Array(result[:comments]).grep(/\Atruncated stacks/).first
      assert_match(/\Atruncated stacks: \d+, whose callers were in doubt\z/, comment) if comment
      cut = comment.to_s[/\d+/].to_i
      assert_operator cut, :<=, result.fetch(:ticks) * FEW, result.to_s
      result.fetch(:counts).each do |method, (plain, other)|
        assert_operator other, :>, plain / 5, "#{method}: #{result}"
      end
    end
  end
end
