# frozen_string_literal: true

module Accuracy
  # Reads the method's bare name out of a profiler's label: "foo" from "Foo::Bar#foo", "Foo.foo",
  # "block (2 levels) in Foo#foo", "foo" and "foo [c function]". No other method of the process has
  # the name of a measured method, so the bare name is enough, and profilers that know no classes
  # can be compared.
  module Labels
    IN = /\A(?:(?:block|rescue|ensure)\b.*? in )+/
    OWNER = /\A.*[#.](?=[^#.]+\z)/
    NOTE = / \[c function\]\z/

    def self.bare_name(label)
      label.sub(NOTE, "").sub(IN, "").sub(OWNER, "")
    end
  end
end
