# frozen_string_literal: true

require "minitest/autorun"
require "open3"
require "rbconfig"
require "tmpdir"
require_relative "../../bench/workloads/workloads"
require_relative "../../bench/accuracy/lib/circumstance"
require_relative "../support/waiting"

# What bench/accuracy does to the machine, and that it undoes it.
class AccuracyNeighboursTest < Minitest::Test
  def test_as_many_as_were_asked_for_and_none_afterwards
    pids = Accuracy::Neighbours.beside(2) { |found| found.each { |pid| assert running?(pid) } && found }

    assert_equal 2, pids.size
    assert_equal [false, false], pids.map { |pid| running?(pid) }
  end

  def test_none_is_left_after_an_error_or_an_interrupt
    [RuntimeError, Interrupt].each do |error|
      pids = nil
      assert_raises(error) { Accuracy::Neighbours.beside(1) { |found| (pids = found) && raise(error) } }
      refute running?(pids.first)
    end
  end

  # Nothing runs an `ensure` then, so the neighbours must notice by themselves.
  def test_none_is_left_when_the_bench_is_killed
    pid = pid_of_neighbour_beside_a_killed_bench

    Waiting.await("the end of the neighbour") { !running?(pid) }
  end

  def test_they_are_busy
    Accuracy::Neighbours.beside(1) { |(pid)| Waiting.await("work of the neighbour") { cpu_ticks(pid) >= 5 } }
  end

  def test_they_can_have_sessions_of_their_own
    sessions = [true, false].map do |own_sessions|
      Accuracy::Neighbours.beside(1, own_sessions:) { |(pid)| Process.getsid(pid) == pid }
    end

    assert_equal [true, false], sessions
  end

  private

  def pid_of_neighbour_beside_a_killed_bench
    file = File.expand_path("../../bench/accuracy/lib/neighbours.rb", __dir__)
    program = "Accuracy::Neighbours.beside(1) { |found| puts found; $stdout.flush; Process.kill(:KILL, Process.pid) }"
    output, status = Open3.capture2(RbConfig.ruby, "-r", file, "-e", program)
    assert_equal Signal.list["KILL"], status.termsig
    Integer(output)
  end

  # A process that ended but that its parent has not asked for is a zombie.
  def running?(pid)
    File.read("/proc/#{pid}/stat").split(") ").last[0] != "Z"
  rescue Errno::ENOENT, Errno::ESRCH
    false
  end

  # User time, in ticks of the kernel.
  def cpu_ticks(pid) = Integer(File.read("/proc/#{pid}/stat").split(") ").last.split[11])
end

class AccuracyPinnedTest < Minitest::Test
  def test_the_command_has_one_processor
    assert_match(/\ACpus_allowed_list:\s*\d+\n\z/, allowed("pinned"))
  end

  def test_a_quiet_command_is_as_it_was
    assert_equal File.foreach("/proc/self/status").grep(/\ACpus_allowed_list/).first, allowed("quiet")
  end

  private

  def allowed(name)
    Accuracy::Circumstance::ALL.fetch(name).around do |prefix|
      Open3.capture2(*prefix, "grep", "Cpus_allowed_list", "/proc/self/status").first
    end
  end
end

class AccuracyQuotaTest < Minitest::Test
  V1 = "tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n" \
       "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n"
  V2 = "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n"

  def test_places_of_cgroup_v1
    assert_equal %w[/sys/fs/cgroup/cpu,cpuacct/a/b /sys/fs/cgroup/cpu,cpuacct/a /sys/fs/cgroup/cpu,cpuacct/],
                 places(V1, "5:cpuset:/x\n4:cpu,cpuacct:/a/b\n0::/\n")
  end

  def test_places_of_cgroup_v2
    assert_equal %w[/sys/fs/cgroup/user.slice /sys/fs/cgroup/], places(V2, "0::/user.slice\n")
  end

  def test_without_a_controller_it_says_so
    error = assert_raises(Accuracy::Quota::Unavailable) { Accuracy::Quota.new(mounts: "", groups: "").around { flunk } }

    assert_match(/no cgroup/, error.message)
  end

  # As v1 and v2 have them, in a directory that is none of the kernel's.
  def test_the_limits
    Dir.mktmpdir do |group|
      Accuracy::Quota::V1.new(group).limit(group)
      Accuracy::Quota::V2.new(group).limit(group)

      assert_equal({ "cpu.cfs_period_us" => "100000", "cpu.cfs_quota_us" => "60000", "cpu.max" => "60000 100000" },
                   Dir.children(group).to_h { |file| [file, File.read(File.join(group, file))] })
    end
  end

  def test_cgroup_v2_hands_the_controller_on_once
    Dir.mktmpdir do |parent|
      handed_on = File.join(parent, "cgroup.subtree_control")
      { "" => "+cpu", "memory cpu" => "memory cpu" }.each do |before, after|
        File.write(handed_on, before)
        Accuracy::Quota::V2.new(parent).prepare(parent)
        assert_equal after, File.read(handed_on)
      end
    end
  end

  def test_a_command_has_the_quota_and_the_group_is_gone_afterwards
    group = nil
    used = Accuracy::Circumstance::ALL.fetch("quota").around do |prefix|
      group = File.dirname(prefix.last)
      Float(Open3.capture2(*prefix, RbConfig.ruby, "-e", BURN).first)
    end

    assert_operator used, :<, 0.8
    refute_path_exists group
  rescue Accuracy::Quota::Unavailable => e
    # Where no group can be made it says why, and leaves none behind.
    assert_match(/cgroup/, e.message)
    assert_nil group
  end

  # The CPU seconds that one wall second gives to a busy process.
  BURN = <<~RUBY
    clock = ->(id) { Process.clock_gettime(id) }
    end_s = clock.(Process::CLOCK_MONOTONIC) + 1
    began = clock.(Process::CLOCK_PROCESS_CPUTIME_ID)
    nil while clock.(Process::CLOCK_MONOTONIC) < end_s
    puts clock.(Process::CLOCK_PROCESS_CPUTIME_ID) - began
  RUBY

  private

  def places(mounts, groups) = Accuracy::Quota.new(mounts:, groups:).places.map(&:last)
end
