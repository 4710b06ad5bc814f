# frozen_string_literal: true

require_relative "../support/test_helper"

class WaitKindsTest < Minitest::Test
  def complaint(kinds) = assert_raises(ArgumentError) { Rperf.classify_wait(kinds) }.message

  METHOD = "a method whose waits are classified must be a String as reports name it, such as \"PG::Connection#exec\", or a class " \
    "with \"#\", \".\" or \"::\" behind it, not "
  KIND = "the kind of a wait must be a name of at most 30 small letters, digits and underscores, such as :database, not "

  def test_wrong_methods
    [:"PG::Connection#exec", "exec", "", "A#b\nc", "A#\xff", nil].each do |method|
      assert_equal METHOD + method.inspect, complaint({method => :database})
    end
    assert_equal "#{METHOD}\"A##{"b" * 77}...", complaint({"A#" + ("b" * 300) => :database})
  end

  def test_wrong_kinds
    ["", "Database", "a b", "a:b", "x" * 31, nil, 3, "\xff"].each { |kind| assert_equal KIND + kind.inspect, complaint({"A#b" => kind}) }
  end

  def test_other_encodings
    assert_equal METHOD + '"exec"', complaint({"exec".encode("UTF-16LE") => :database})
    assert_equal METHOD + '"A#\xFF"', complaint({"A#\xff".b => :database})
    assert_equal KIND + '"Pool"', complaint({"A#b" => "Pool".encode("UTF-16LE")})
  end

  def test_what_is_no_hash_and_too_many
    assert_equal "the kinds of waits must be a Hash from methods to kinds, not :pool", complaint(:pool)
    many = Array.new(Rperf::Native::MOST_WAIT_KINDS + 1) { |number| ["A#b#{number}", :pool] }.to_h
    assert_equal "waits in at most 1000 methods can be classified: name a class, such as \"PG::Connection#\", for all of its methods", complaint(many)
  end

  # A wrong one adds none of the others.
  def test_all_or_none
    complaint({"A#b" => :pool, "A#c" => :""})
    assert_empty Array(Rperf.start(mode: :wall) { sleep 0.01 }[:comments]).grep(/wait/)
  end
end
