# frozen_string_literal: true

module Rperf
  # Absolute paths, as bytes: a name and its directory may have different encodings, or be no text.
  module AbsolutePath
    # Returns the absolute path of a name, with the name's encoding. Raises SystemCallError if it is
    # relative to the current directory, and that has been removed.
    def self.of(name, directory = nil)
      # Ruby compares encodings unless the name has that of the file system.
      name, encoding = name.dup.force_encoding("filesystem"), name.encoding
      File.absolute_path(name, directory&.to_s&.dup&.force_encoding("filesystem")).force_encoding(encoding)
    end
  end
end
