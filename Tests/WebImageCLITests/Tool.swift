import Foundation

/// Runs the built `webimage` executable as a child process.
enum Tool {
    struct Outcome {
        let code: Int32
        /// The bytes of standard output.
        let bytes: Data
        let errors: String

        var output: String { String(decoding: bytes, as: UTF8.self) }

        /// Returns the printed JSON objects, one per line.
        func objects() throws -> [[String: Any]] {
            try output.split(separator: "\n").map { line in
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            }
        }
    }

    /// The path of the executable, which is in the same folder as the test executable.
    static let path: String = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let beside = [own, CommandLine.arguments[0], Bundle.main.executablePath ?? ""].map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().appendingPathComponent("webimage").path
        }
        return beside.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "webimage"
    }()

    /// Starts the command. Does not wait until the command ends.
    ///
    /// - Parameters:
    ///   - through: A program that runs the command, such as `/usr/bin/env`, and the arguments of this program.
    ///   - folder: The working directory.
    ///   - input: Standard input; nothing by default.
    static func start(
        _ arguments: [String], environment: [String: String] = [:], through: [String] = [], in folder: String? = nil,
        input: FileHandle = .nullDevice
    ) throws -> (process: Process, output: Pipe, errors: Pipe) {
        let process = Process()
        let words = through + [path] + arguments
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        // The `WEBIMAGE_` variables of the test run must not change the settings of the command, so the command
        // does not inherit them.
        let inherited = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("WEBIMAGE_") || $0.key == "WEBIMAGE_PDFIUM"
        }
        // A crash ends the process at once. Swift's backtracer would stop it instead, sometimes for ever.
        process.environment = inherited.merging(["SWIFT_BACKTRACE": "enable=no"]) { own, _ in own }
            .merging(environment) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = input
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        try process.run()
        return (process, output, errors)
    }

    static func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Outcome {
        try run(arguments, environment: environment)
    }

    static func run(
        _ arguments: [String], environment: [String: String] = [:], through: [String] = [], in folder: String? = nil,
        input: FileHandle = .nullDevice
    ) throws -> Outcome {
        let (process, output, errors) = try start(
            arguments, environment: environment, through: through, in: folder, input: input)
        // Read both pipes at the same time. If only one pipe were read, the program would block when the other
        // pipe is full.
        let queue = DispatchQueue(label: "errors")
        nonisolated(unsafe) var errorText = Data()  // written only on `queue`, read after its barrier below
        queue.async { errorText = errors.fileHandleForReading.readDataToEndOfFile() }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return queue.sync {
            Outcome(
                code: process.terminationStatus, bytes: text,
                errors: String(decoding: errorText, as: UTF8.self))
        }
    }
}
