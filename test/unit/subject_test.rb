# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/cli"
require "rperf/cli/subject"

# What is looked at by `rperf report` and `rperf diff`.
class SubjectTest < Minitest::Test
  Subject = Rperf::CLI::Subject

  # A base of 100 ms and a target of 200 ms.
  def in_profiles
    in_directory do |directory|
      paths = {"base" => 100, "target" => 200}.map do |name, milliseconds|
        File.join(directory, name).tap { |path| File.write(path, "main;work #{milliseconds}000000\n") }
      end
      yield(*paths)
    end
  end

  def test_a_profile
    in_profiles do |base, _target|
      subject = Subject.new(base)
      refute subject.difference?
      refute subject.normalise?
      assert_nil subject.base
      assert_same subject.profile, subject.target
      assert_equal [[base], base], [subject.paths, subject.title]
    end
  end

  def test_a_difference
    in_profiles do |base, target|
      subject = Subject.new(target, base:)
      assert subject.difference?
      assert_same subject.profile, subject.target
      assert_includes subject.base.top(nil), "100ms"
      assert_includes subject.profile.top(nil), "200ms"
      assert_equal [[base, target], "#{target} compared with #{base}"], [subject.paths, subject.title]
    end
  end

  def test_a_normalised_difference
    in_profiles do |base, target|
      subject = Subject.new(target, base:, normalise: true)
      assert_includes subject.target.top(nil), "100ms"
      assert_includes subject.profile.top(nil), "200ms", "the page scales by itself"
    end
  end

  def test_files_are_read_once
    in_profiles do |base, target|
      subject = Subject.new(target, base:)
      before = [subject.profile, subject.base]
      File.delete(base, target)
      assert_equal before, [subject.profile, subject.base]
    end
  end

  def test_errors_name_the_files
    in_profiles do |base, target|
      {[target, base] => "compare '#{base}' and '#{target}'", [target, nil] => "show '#{target}'"}.each do |(path, base_path), task|
        error = assert_raises(Rperf::Error) { Subject.new(path, base: base_path).complete { raise Rperf::Error, "it is odd" } }
        assert_equal "cannot #{task}: it is odd", error.message
      end
    end
  end
end
