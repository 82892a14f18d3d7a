extension ProgramText {
    /// The completions of bash.
    var bashCompletions: String {
        let function = "_" + name.replacing("-", with: "_")
        return """
            # Completions of \(name) for bash.
            \(Self.bashHelpers(function))
            \(function)() {
              local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
              local flags='' operands='' word IFS=$' \\t\\n'
              COMPREPLY=()
              # bash splits '--option=value' into three words.
              if [ "$current" = = ]; then
                current=''
              elif [ "$previous" = = ]; then
                previous=${COMP_WORDS[COMP_CWORD-2]}
              fi
              for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                if [ "$word" = -- ]; then \(function)_files; return; fi
              done\(commands.isEmpty ? bashOptions(function) : bashCommands(function))
              case "$current" in
              -*) mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$current") ;;
              *)
                if [ -n "$operands" ] && [ "$COMP_CWORD" -eq 2 ]; then
                  mapfile -t COMPREPLY < <(compgen -W "$operands" -- "$current")
                else
                  \(function)_files
                fi ;;
              esac
            }
            complete -F \(function) \(name)

            """
    }

    private static func bashHelpers(_ function: String) -> String {
        """
        \(function)_files() {
          local file
          # Outside of a completion, in a test, compopt fails.
          compopt -o filenames 2> /dev/null
          mapfile -t COMPREPLY < <(compgen -f -- "$current")
          for file in "${COMPREPLY[@]}"; do
            # compgen prints a name with a newline as two lines; the shell's pattern has it whole.
            [[ -e $file || -L $file || $file == '~'* ]] || { COMPREPLY=("$current"*); break; }
          done
        }
        # Words, with -between also as a list with commas, with -before only after a comma.
        \(function)_words() {
          local before='' commas=''
          case "$1" in -between|-before) commas=$1; shift ;; esac
          if [ -n "$commas" ] && [[ $current == *,* ]]; then
            before=${current%,*},
          elif [ "$commas" = -before ]; then
            return
          fi
          mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -P "$before" -W "$*" -- "${current#"$before"}")
          # What follows 'sepia=' belongs to the word.
          if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2> /dev/null; fi
        }
        """
    }

    private func flags(_ options: [CommandOption]) -> String {
        options.map { "--" + $0.name }.joined(separator: " ")
    }

    private func bashOptions(_ function: String) -> String {
        let cases = bashValues(general.options, function).joined(separator: "\n")
        return "\n  case \"$previous\" in\n\(cases)\n  esac\n  flags='\(flags(general.options))'"
    }

    private func bashCommands(_ function: String) -> String {
        let names = (commands.map(\.name) + ["help"]).joined(separator: " ")
        let cases = commands.map { command in
            let values = (bashValues(command.options, function) + ["      *) ;;"]).joined(separator: "\n")
            let operands = command.operands.joined(separator: " ")
            let own = command.options.isEmpty ? "" : flags(command.options)
            return "  \(command.name))\n    case \"$previous\" in\n\(values)\n    esac\n"
                + "    flags='\(own) --help'; operands='\(operands)' ;;"
        }
        return """

              if [ "$COMP_CWORD" -eq 1 ]; then
                mapfile -t COMPREPLY < <(compgen -W '\(names) \(flags(general.options))' -- "$current")
                return
              fi
              case "$command" in
            \(cases.joined(separator: "\n"))
              help) operands='\(names)' ;;
              esac
            """
    }

    /// The cases that complete the values of options.
    private func bashValues(_ options: [CommandOption], _ function: String) -> [String] {
        options.compactMap { option in
            guard option.takesArgument else { return nil }
            let names = "--\(option.name)" + (option.letter.map { "|-\($0)" } ?? "")
            guard !option.words.isEmpty else {
                // bash splits '@FILE' into two words, and completes the second as a file.
                return option.takesPath ? "      \(names)) \(function)_files; return ;;" : "      \(names)) return ;;"
            }
            let files = option.takesPath ? "\(function)_files; " : ""
            let commas = option.commas == .none ? "" : "-\(option.commas) "
            let words = option.words.joined(separator: " ")
            return "      \(names)) \(files)\(function)_words \(commas)\(words); return ;;"
        }
    }
}
