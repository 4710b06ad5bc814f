# frozen_string_literal: true

require_relative "../support/controlled"

# Tables on a terminal of 80 columns, of programs with long names.
class NarrowTerminalsTest < Minitest::Test
  include Controlled
  include ProgramSupport::WithoutGems

  # Computes in a method of a gem.
  LONG = <<~RUBY
    module ActiveRecord
      module ConnectionAdapters
        module PostgreSQL
          class DatabaseStatements
            def perform_query = 2_000_000.times { Math.sqrt(2.0) }
          end
        end
      end
    end
    ActiveRecord::ConnectionAdapters::PostgreSQL::DatabaseStatements.new.perform_query
  RUBY
  FILE = "gems/activerecord-8.0.1/lib/active_record/connection_adapters/postgresql/database_statements.rb"
  ROW = /^ +[\d.]+ \w+ +[\d.]+%  \u2026\S*DatabaseStatements#perform_query \(\u2026\S+statements\.rb\)$/

  def test_tables_of_functions
    in_directory do |directory|
      write_file(directory, FILE, LONG)
      write_file(directory, "app.rb", "require_relative #{FILE.dump}")
      [%w[exec], %w[record -p]].each do |command|
        text = on_terminal!(*command, "ruby", "app.rb", directory:)
        assert_fits text
        assert_match ROW, text
        assert_includes rperf(*command, "ruby", "app.rb", directory:).then { |result| result.out + result.err }, "PostgreSQL::DatabaseStatements#perform_query (activerecord-8.0.1/lib/"
      end
    end
  end

  def test_statistics_about_the_sampling
    in_directory do |directory|
      write_file(directory, FILE, LONG)
      write_file(directory, "app.rb", "require_relative #{FILE.dump}")
      text = on_terminal!("record", "-v", "ruby", "app.rb", directory:)
      assert_fits text.lines.grep(/\A\[rperf\]/).join
      assert_match(/^\[rperf\] +\S+ms +[\d.]+%  \u2026\S+#perform_query \(\u2026\S+statements\.rb\)$/, text)
    end
  end

  def test_the_reference
    in_directory do |directory|
      [%w[help], %w[help record], %w[report --help], %w[help faq], %w[help memory]].each do |words|
        text = on_terminal!(*words, directory:)
        code = words == %w[help memory] ? /^ {4}.*\n/ : /(?!)/
        assert_fits text.gsub(code, "")
        assert_equal rperf(*words, directory:).out.split, text.split unless words == %w[help memory]
      end
    end
  end

  def test_the_list_of_processes
    name = "puma: cluster worker 0: #{"店" * 80}"
    controlled("$0 = #{name.dump}; Rperf.start; $stdout.sync = true; puts 'ready'; sleep") do |program, directory|
      text = control_on_terminal!("ps", directory:)
      assert_fits text
      assert_match(/^ *#{program.pid}  cpu at 1000 Hz for \S+ \S+ +puma: cluster worker 0: 店+\u2026$/, text)
      assert_includes control!("ps", directory:), name[0, 100]
    end
  end
end
