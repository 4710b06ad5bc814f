# frozen_string_literal: true

module Rperf
  class Options
    # How sentences name a setting. Each way takes its name, and, where the value matters, the value
    # as Ruby writes it, and as a text writes it.
    module Naming
      # Options of the command line that have another name than their setting.
      FLAGS = {objects: "--max-live", gc: "--no-gc", data_sizes: "--no-data-sizes", aggregate: "--no-aggregate"}.freeze
      # Texts of values for the environment.
      TRUTH = {"true" => "1", "false" => "0"}.freeze

      # "blame: (--blame)", "signal: false (--signal none)": for keywords and options.
      GIVEN = ->(name, value = nil, text = nil) do
        option = FLAGS.fetch(name) { "--#{name.name.tr("_", "-")}" unless value == "false" && text.nil? }
        ["#{name}:", *value, *("(#{[option, *text].join(" ")})" if option)].join(" ")
      end

      # "RPERF_BLAME", "RPERF_SIGNAL=none": for variables of the environment.
      VARIABLE = ->(name, value = nil, text = nil) do
        [TABLE.fetch(name).env, *(text || TRUTH[value])].join("=")
      end
    end
  end
end
