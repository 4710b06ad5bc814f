# frozen_string_literal: true

module Accuracy
  # A control group whose processes together may use 60 % of one processor (the kernel's CFS quota).
  class Quota
    SHARE = 0.6
    PERIOD_US = 100_000
    QUOTA_US = (PERIOD_US * SHARE).round

    # No such group can be made here; the message says why.
    class Unavailable < StandardError; end

    # The `cpu` controller of cgroup v1, mounted at `mount`.
    V1 = Struct.new(:mount) do
      def self.mounted?(type, options) = type == "cgroup" && options.include?("cpu")
      def own?(hierarchy, controllers) = hierarchy != "0" && controllers.include?("cpu")
      def prepare(_parent) = nil

      def limit(group)
        File.write(File.join(group, "cpu.cfs_period_us"), PERIOD_US.to_s)
        File.write(File.join(group, "cpu.cfs_quota_us"), QUOTA_US.to_s)
      end
    end

    # The unified hierarchy of cgroup v2, mounted at `mount`.
    V2 = Struct.new(:mount) do
      def self.mounted?(type, _options) = type == "cgroup2"
      def own?(hierarchy, _controllers) = hierarchy == "0"

      # Hands the controller on to the groups below.
      def prepare(parent)
        handed_on = File.join(parent, "cgroup.subtree_control")
        File.write(handed_on, "+cpu") unless File.read(handed_on).split.include?("cpu")
      end

      def limit(group) = File.write(File.join(group, "cpu.max"), "#{QUOTA_US} #{PERIOD_US}")
    end

    # Yields the file to which a process writes its number to join the group. The group is removed
    # after the block.
    def self.around(&) = new(mounts: read("/proc/self/mounts"), groups: read("/proc/self/cgroup")).around(&)

    def self.read(file)
      File.read(file)
    rescue SystemCallError => e
      raise Unavailable, e.message
    end
    private_class_method :read

    # mounts, groups: the contents of /proc/self/mounts and /proc/self/cgroup.
    def initialize(mounts:, groups:)
      @mounts = mounts
      @groups = groups
    end

    def around
      group = make
      yield File.join(group, "cgroup.procs")
    ensure
      remove(group) if group
    end

    # Places where a group may be made, as pairs of hierarchy and directory: below the group of this
    # process, and below the groups above it, since cgroup v2 hands controllers on only from groups
    # without processes.
    def places
      hierarchies.flat_map do |hierarchy|
        ancestors(own_group(hierarchy)).map { |path| [hierarchy, File.join(hierarchy.mount, path)] }
      end
    end

    private

    def make
      raise Unavailable, "no cgroup with the cpu controller is mounted" if places.empty?

      complaints = []
      places.each { |hierarchy, parent| make_in(hierarchy, parent, complaints)&.then { |group| return group } }
      raise Unavailable, complaints.first
    end

    def make_in(hierarchy, parent, complaints)
      group = File.join(parent, "rperf-accuracy-#{Process.pid}")
      hierarchy.prepare(parent)
      Dir.mkdir(group)
      hierarchy.limit(group)
      group
    rescue SystemCallError => e
      complaints << e.message
      Dir.rmdir(group) if Dir.exist?(group)
      nil
    end

    def hierarchies
      @mounts.each_line.filter_map do |line|
        _device, mount, type, options = line.split
        [V1, V2].find { |version| version.mounted?(type, options.split(",")) }&.new(mount)
      end
    end

    def own_group(hierarchy)
      line = @groups.each_line.find do |text|
        number, controllers, = text.chomp.split(":", 3)
        hierarchy.own?(number, controllers.split(","))
      end
      line ? line.chomp.split(":", 3).last : "/"
    end

    def ancestors(path)
      path == "/" ? ["/"] : [path, *ancestors(File.dirname(path))]
    end

    # The kernel removes a group only after the last process in it has ended.
    def remove(group)
      100.times do
        File.readlines(File.join(group, "cgroup.procs")).each { |pid| Process.kill(:KILL, Integer(pid)) }
        return Dir.rmdir(group)
      rescue Errno::EBUSY, Errno::ESRCH
        sleep 0.05
      end
      warn "#{group} could not be removed: processes in it do not end"
    end
  end
end
