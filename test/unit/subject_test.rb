# frozen_string_literal: true

require_relative "../support/test_helper"
require "rperf/cli"
require "rperf/cli/selection"
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

  # "100ms"
  def total(profile) = Rperf::ProfileReport.new(view: :top).enum_for(:write, profile).first.first[/of (\w+) total/, 1]

  def test_a_profile
    in_profiles do |base, _target|
      subject = Subject.new([base])
      refute subject.difference?
      refute subject.normalise?
      assert_nil subject.base
      assert_same subject.profile, subject.target
      assert_equal [[base], [], base], [subject.paths, subject.base_paths, subject.title]
    end
  end

  def test_several_are_one
    in_profiles do |base, target|
      subject = Subject.new([base, target])
      assert_equal "300ms", total(subject.profile)
      assert_equal "#{base}, #{target}", subject.title
    end
  end

  def test_a_difference
    in_profiles do |base, target|
      subject = Subject.new([target], bases: [base])
      assert subject.difference?
      assert_same subject.profile, subject.target
      assert_equal %w[100ms 200ms], [total(subject.base), total(subject.profile)]
      assert_equal [[target], [base], "#{target} compared with #{base}"], [subject.paths, subject.base_paths, subject.title]
    end
  end

  def test_a_normalised_difference
    in_profiles do |base, target|
      subject = Subject.new([target], bases: [base], values: {normalise: true})
      assert_equal "100ms", total(subject.target)
      assert_equal "200ms", total(subject.profile), "the page scales by itself"
    end
  end

  def test_several_files_of_a_side_become_their_mean
    in_profiles do |base, target|
      subject = Subject.new([target], bases: [base, target])
      assert_equal %w[150ms 200ms], [total(subject.base), total(subject.target)]
      assert_equal "#{target} compared with #{base}, #{target}", subject.title
    end
  end

  def test_files_are_read_once
    in_profiles do |base, target|
      subject = Subject.new([target], bases: [base])
      before = [subject.profile, subject.base]
      File.delete(base, target)
      assert_equal before, [subject.profile, subject.base]
    end
  end

  def test_errors_name_the_files
    in_profiles do |base, target|
      {[base] => "compare '#{base}' and '#{target}'", [] => "show '#{target}'"}.each do |bases, task|
        error = assert_raises(Rperf::Error) { Subject.new([target], bases:).complete { raise Rperf::Error, "it is odd" } }
        assert_equal "cannot #{task}: it is odd", error.message
      end
    end
  end

  def test_a_selection
    in_profiles do |base, target|
      File.write(target, "main;work 200000000\nmain;rest 7000000\n")
      subject = Subject.new([target], bases: [base])
      assert_equal [subject.profile, subject.base], Rperf::CLI::Selection.new({}).of(subject)
      assert_equal %w[200ms 100ms], Rperf::CLI::Selection.new({focus: "work"}).of(subject).map { |profile| total(profile) }
      assert_equal ["7ms", nil], Rperf::CLI::Selection.new({ignore: "work"}).of(subject).map { |profile| total(profile)[/[1-9].*/] }
    end
  end

  def test_filters_that_match_nothing_are_told_once
    in_profiles do |base, target|
      subject = Subject.new([target], bases: [base])
      _, err = capture_io { 2.times { Rperf::CLI::Selection.new({focus: "nobody", ignore: "work"}).of(subject) } }
      assert_equal "rperf: --focus matches nothing in '#{target}'\n", err
    end
  end

  def test_filters_that_make_no_sense
    failure = assert_raises(Rperf::CLI::Failure) { Rperf::CLI::Selection.new({focus: "("}) }
    assert_equal 2, failure.status
  end
end
