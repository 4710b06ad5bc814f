# frozen_string_literal: true

require_relative "../errors"

module Rperf
  class Page
    # Parts of a page that is served, and is no file: profiles to download, links to the editor and
    # to the repository.
    class Local
      # Form of the links: an address with a place for the path.
      LINK = %r{\A(?!(?:javascript|data|vbscript):)[a-z][a-z0-9+.-]*://\S*\{path\}\S*\z}i

      # downloads: [[address relative to the page's, name], ...]
      # editor, repository: the address of a line, with `{path}` and `{line}`; nil: no such links
      # paths: whether the page says where files are, which the editor must know; false for a page
      #   that others see
      #
      # Raises ArgumentError with one sentence for a wrong address.
      def initialize(downloads: [], editor: nil, repository: nil, paths: true)
        @downloads = downloads
        @paths = paths
        @editor = checked("editor", editor)
        @repository = checked("repository", repository)
      end

      # Returns the values as Native::Profile#page takes them.
      def to_a = [@downloads, @editor, @repository, @paths]

      private

      def checked(name, link)
        return if ["", nil].include?(link)
        return link if link.is_a?(String) && LINK.match?(UTF8.of(link))
        raise ArgumentError, "--#{name} (#{name}:, RPERF_#{name.upcase}) takes the address of a line, such as vscode://file{path}:{line} or " \
                             "https://github.com/me/app/blob/main/{path}#L{line}, not #{link.is_a?(String) ? "'#{Error.short(link)}'" : Error.shown(link)}"
      end
    end
  end
end
