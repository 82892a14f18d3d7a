import Foundation
import WebImage
import WebImageCommandLine

/// The `webimage` command.
public enum WebImageCommand {
    /// The version that `--version` prints.
    public static let version = PackageVersion.current

    /// Runs the command line with which this process was started, as ``run(_:)``. File names that are not UTF-8 are kept.
    public static func runArgumentsOfProcess() -> Int32 { run(RawText.arguments) }

    /// Runs a command line and returns the exit code. The first element of `arguments` is the program's name.
    ///
    /// The exit code is 0 for success, 1 for a usage error, 2 if an input failed or standard output could not be written, 3 if a limit was exceeded, and 130
    /// after an interrupt.
    ///
    /// Blocks the calling thread, which must not belong to the cooperative pool.
    public static func run(_ arguments: [String]) -> Int32 { Console.finish(code(of: arguments)) }

    private static func code(of arguments: [String]) -> Int32 {
        OptionalCoders.register()
        let arguments = commandFirst(arguments)
        let log = WebImageLog.shared
        if log.destination == nil { log.destination = StandardErrorLogger(minimum: .warning) }
        let name = arguments.dropFirst().first ?? "--help"
        switch name {
        case "help" where arguments.count > 2 && commands[arguments[2]] != nil:
            Console.out(commands[arguments[2]]?.text.help ?? "")
            return ExitCode.ok.rawValue
        case "help" where arguments.count > 2 && !arguments[2].hasPrefix("-"):
            Console.error("there is no command '\(arguments[2])'; see 'webimage --help'")
            return ExitCode.usage.rawValue
        case "--help", "-h", "help":
            Console.out(general.help)
            return ExitCode.ok.rawValue
        case "--version", "-V":
            Console.out("webimage \(version)\n")
            return ExitCode.ok.rawValue
        case "--describe":
            return describe(Array(arguments.dropFirst(2))).rawValue
        default:
            break
        }
        guard let command = commands[name] else {
            Console.error("there is no command '\(name)'; see 'webimage --help'")
            return ExitCode.usage.rawValue
        }
        do {
            let parsed = try Arguments(Array(arguments.dropFirst()), accepting: command.options)
            if parsed.has("help") {
                Console.out(command.text.help)
                return ExitCode.ok.rawValue
            }
            let invocation = try command.parse(parsed)
            if command.canSandbox, name != "formats" {
                if parsed.has("sandbox") { try DecoderProcesses.enable() } else { DecoderProcesses.isolatePlugIns() }
            }
            // A service also answers requests during decodes, so its decoding threads have a lower priority. Other
            // commands have no other work during decodes, so their decoding threads have the normal priority.
            if !command.isService { DecodePool.declareCommandLineProgram() }
            return Interruptible.run(invocation, reportsInterrupt: !command.isService).rawValue
        } catch {
            let hint = error.message.contains("see 'webimage ") ? "" : "; see 'webimage \(name) --help'"
            Console.error(error.message + hint)
            return ExitCode.usage.rawValue
        }
    }

    /// Moves the command's name before all options. The limit options can precede the name, as in
    /// `webimage --no-limits info FILE`.
    private static func commandFirst(_ arguments: [String]) -> [String] {
        guard let index = arguments.firstIndex(where: { commands[$0] != nil }), index > 1,
            CommandOption.decoding.contains(where: { arguments[1].hasPrefix("--" + $0.name) })
        else { return arguments }
        var moved = arguments
        moved.insert(moved.remove(at: index), at: 1)
        return moved
    }

    /// The commands in the order of the help.
    private static let all: [(name: String, command: Command)] = [
        ("load", LoadCommand.command), ("thumbnail", ThumbnailCommand.command), ("info", InfoCommand.command),
        ("convert", ConvertCommand.command), ("optimize", OptimizeCommand.command), ("frames", FramesCommand.command),
        ("formats", FormatsCommand.command), ("show", ShowCommand.command), ("cache", CacheCommand.command),
        ("serve", ServeCommand.command), ("sign", SignCommand.command), ("init", InitCommand.command),
    ]

    static let commands = Dictionary(uniqueKeysWithValues: all)

    /// What `webimage --help` says.
    static let general = CommandText(
        summary: "loads, inspects and converts pictures through the same pipeline as the library",
        lead: "webimage loads, inspects and converts pictures through the same pipeline as the library.",
        usage: ["webimage COMMAND [OPTIONS] ..."],
        parts: [
            .words(
                all.map { ($0.command.text.head, $0.command.text.summary) }
                    + [("help COMMAND", ProgramText.helpSummary)]),
            .options([.flag("help", "print this"), .flag("version", "print the version")]),
            .text(
                """
                exit codes: 0 ok, 1 usage, 2 some input failed, 3 a limit was exceeded, 130 interrupted
                environment: WEBIMAGE_LOG=debug|info|warning|error logs to standard error
                """),
            .examples([
                "webimage info photo.jpg", "webimage convert photo.jpg photo.webp",
                "webimage load --size 320 --out small https://example.org/a.jpg photo.jpg",
                "webimage thumbnail --recursive --out thumbs photos",
            ]),
        ])

    /// Writes manual pages or completions of this program: `webimage --describe man FOLDER`, `webimage --describe bash`.
    private static func describe(_ words: [String]) -> ExitCode {
        let program = ProgramText(
            name: "webimage", version: version, general: general, commands: all.map(\.command.text))
        do {
            Console.out(try program.described(words))
            return .ok
        } catch {
            Console.error(error.message)
            return .usage
        }
    }
}

/// A command. It has options, and a function that checks the arguments and returns the work to run.
struct Command: Sendable {
    typealias Invocation = @Sendable () async -> ExitCode

    /// Whether the command runs until a signal stops it. For such a command, an interrupt is not a failure.
    let isService: Bool
    let parse: @Sendable (Arguments) throws(UsageError) -> Invocation
    private let makeText: @Sendable () -> CommandText
    private let makeHidden: @Sendable () -> [CommandOption]

    /// - Parameters:
    ///   - text: What the command says of itself. It is made when the command runs or is described: a start makes the rows of
    ///     one command only.
    ///   - hidden: Options that the command accepts and its help does not show.
    init(
        _ text: @autoclosure @escaping @Sendable () -> CommandText,
        hidden: @autoclosure @escaping @Sendable () -> [CommandOption] = [], isService: Bool = false,
        parse: @escaping @Sendable (Arguments) throws(UsageError) -> Invocation
    ) {
        (makeText, makeHidden, self.isService, self.parse) = (text, hidden, isService, parse)
    }

    /// What the command says of itself.
    var text: CommandText { makeText() }
    /// The options that the command accepts.
    var options: [CommandOption] { text.options + makeHidden() }

    /// Whether the command decodes pictures in restricted processes on request.
    var canSandbox: Bool { options.contains { $0.name == "sandbox" } }
}

/// The exit code of the process. If several inputs have different codes, the highest code is used.
enum ExitCode: Int32, Comparable {
    case ok = 0
    case usage = 1
    case failed = 2
    case limited = 3
    case interrupted = 130

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// An error in the command line.
struct UsageError: Error {
    let message: String

    init(_ message: String) { self.message = message }
}
