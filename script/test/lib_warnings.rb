# frozen_string_literal: true

# Collects the warnings that Ruby prints about files of one directory (`ruby -w`).
module LibWarnings
  @collected = []

  class << self
    # @return [Array<String>] the warnings so far, one sentence each
    def problems = @collected.map { |message| "Ruby warned: #{message.strip}" }.uniq

    # Starts to collect. The warnings are still printed.
    def collect(directory)
      collected = @collected
      Warning.singleton_class.prepend(Module.new do
        define_method(:warn) do |message, **options|
          collected << message if message.start_with?("#{directory}/") && message.include?("warning:")
          super(message, **options)
        end
      end)
    end
  end
end
