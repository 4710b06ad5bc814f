# frozen_string_literal: true

require_relative "commands"
require_relative "help/documents"
require_relative "runner"

module Rperf
  class CLI
    # `rperf completion bash|zsh`: a script made from the table of commands and options.
    class Completion < Runner
      SHELLS = %w[bash zsh].freeze

      # Prints the script; returns the exit status.
      def call
        shell = @words.first
        refuse unless @words.length == 1 && SHELLS.include?(shell)
        $stdout.puts(public_send(shell))
        0
      end

      # The script for bash.
      def bash
        <<~BASH
          # Completion of rperf for bash: eval "$(rperf completion bash)"
          _rperf() {
            local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} i
            COMPREPLY=()
            if [ "$COMP_CWORD" -eq 1 ]; then
              COMPREPLY=($(compgen -W "#{top_words.join(" ")}" -- "$word"))
              return
            fi
            case "$command" in
              #{program_commands.map(&:name).join("|")}) # Behind the options comes a command with completions of its own.
              for ((i = 2; i < COMP_CWORD; i++)); do
                case "${COMP_WORDS[i]}" in
                  --) _rperf_program $((i + 1)); return ;;
                  #{argument_names.join("|")}) ((i++)) ;;
                  -*) ;;
                  *) _rperf_program "$i"; return ;;
                esac
              done ;;
            esac
            case "$command:$before" in
          #{bash_values.map { |pattern, action| "    #{pattern}) #{action}; return ;;" }.join("\n")}
            esac
            if [[ $word == -* ]]; then
              case "$command" in
          #{bash_options}
              esac
            else
              case "$command" in
                help) COMPREPLY=($(compgen -W "#{help_words.join(" ")}" -- "$word")) ;;
                #{program_commands.map(&:name).join("|")}) _rperf_program "$COMP_CWORD" ;;
                completion) COMPREPLY=($(compgen -W "#{SHELLS.join(" ")}" -- "$word")) ;;
                *) COMPREPLY=($(compgen -f -- "$word")) ;;
              esac
            fi
          }
          _rperf_program() {
            if declare -F _command_offset >/dev/null; then
              _command_offset "$1"
            elif [ "$1" -eq "$COMP_CWORD" ]; then
              COMPREPLY=($(compgen -c -- "$word"))
            else
              COMPREPLY=($(compgen -f -- "$word"))
            fi
          }
          complete -o filenames -F _rperf rperf
        BASH
      end

      # The script for zsh.
      def zsh
        <<~ZSH
          #compdef rperf
          # Completion of rperf for zsh: eval "$(rperf completion zsh)"
          _rperf() {
            local -a commands
            commands=(
          #{COMMANDS.values.map { |command| "    #{quote("#{command.name}:#{command.summary}")}" }.join("\n")}
            )
            if (( CURRENT == 2 )); then
              _describe command commands
              return
            fi
            local command=$words[2]
            shift words
            (( CURRENT-- ))
            case $command in
          #{COMMANDS.values.map { |command| zsh_case(command) }.join("\n")}
            esac
          }
          if [ "$funcstack[1]" = _rperf ]; then _rperf; else compdef _rperf rperf; fi
        ZSH
      end

      private

      def refuse
        given = ", not '#{@words.join(" ")}'" if @words.any?
        raise Failure.usage("'rperf completion' needs the name of a shell: bash or zsh#{given}")
      end

      # Words that complete `rperf help`: commands and documents.
      def help_words = COMMANDS.keys + Help::Documents.new.names

      def top_words = COMMANDS.keys + %w[--help --version]

      def flags = COMMANDS.values.flat_map(&:flags).uniq

      def names(flag) = [flag.short, flag.long].compact

      def argument_names = flags.select(&:argument).flat_map { |flag| names(flag) }.uniq

      def words(flag) = flag.choices.call.map(&:to_s)

      def program_commands = COMMANDS.values.select(&:runs_program?)

      def bash_values
        flags.select(&:argument).map do |flag|
          commands = COMMANDS.values.select { |command| command.flags.include?(flag) }
          pattern = commands.flat_map { |command| names(flag).map { |name| "#{command.name}:#{name}" } }.join("|")
          [pattern, bash_value(flag)]
        end
      end

      def bash_value(flag)
        case flag.choices
        when :file then 'COMPREPLY=($(compgen -f -- "$word"))'
        when nil then ":"
        else "COMPREPLY=($(compgen -W \"#{words(flag).join(" ")}\" -- \"$word\"))"
        end
      end

      def bash_options
        COMMANDS.values.map { |command|
          options = command.flags.flat_map { |flag| names(flag) }
          "      #{command.name}) COMPREPLY=($(compgen -W \"#{options.join(" ")}\" -- \"$word\")) ;;"
        }.join("\n")
      end

      def zsh_case(command)
        lines = command.flags.flat_map { |flag| zsh_flags(command, flag) } + zsh_rest(command)
        "    #{command.name}) _arguments -S #{lines.map { |line| quote(line) }.join(" ")} ;;"
      end

      # Each spelling of an option excludes the other.
      def zsh_flags(command, flag)
        exclusion = flag.short ? "(#{names(flag).join(" ")})" : ""
        help = "[#{command.help_for(flag).gsub(/[\[\]:]/) { |char| "\\#{char}" }}]"
        names(flag).map do |name|
          glue = {nil => "", flag.long => "="}.fetch(flag.argument && name, "+")
          "#{exclusion}#{name}#{glue}#{help}#{zsh_argument(flag)}"
        end
      end

      def zsh_argument(flag)
        return unless flag.argument
        action = case flag.choices
        when :file then "_files"
        when nil then ""
        else "(#{words(flag).join(" ")})"
        end
        ":#{flag.argument.downcase}:#{action}"
      end

      def zsh_rest(command)
        return ["(-):command: _command_names -e", "*::arguments: _normal"] if command.runs_program?
        case command.name
        when "help" then ["1:command:(#{help_words.join(" ")})"]
        when "completion" then ["1:shell:(#{SHELLS.join(" ")})"]
        else ["*:file:_files"]
        end
      end

      def quote(text) = "'#{text.gsub("'") { "'\\''" }}'"
    end
  end
end
