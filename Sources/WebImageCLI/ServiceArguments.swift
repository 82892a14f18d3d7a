import Foundation
import WebImageService

/// Reads the configuration of a service from a file, environment variables and flags. Flags override variables, and
/// variables override the file. A reload reads the configuration again from the same sources.
struct ServiceArguments: Sendable {
    let file: String?
    let flags: [String]
    let environment: [String: String]

    init(file: String?, flags: [String] = [], environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.file = file ?? environment["WEBIMAGE_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        self.flags = flags
        self.environment = environment
    }

    /// Reads the configuration. Blocks while the file is read.
    func configuration() throws(UsageError) -> ServiceConfiguration {
        var configuration = ServiceConfiguration()
        var place = ""
        do throws(ConfigurationError) {
            if let file {
                place = "\(file): "
                try configuration.read(file: try Self.text(file))
            }
            place = ""
            try configuration.read(environment: environment)
            try configuration.read(flags: flags)
        } catch {
            throw UsageError("\(place)\(error)")
        }
        return configuration
    }

    private static func text(_ path: String) throws(ConfigurationError) -> String {
        // Open only a regular file, because reading a folder fails, and reading a device can block for an unlimited
        // time.
        guard let file = ServiceFile(path: (path as NSString).resolvingSymlinksInPath), file.byteCount <= 1 << 20,
            let text = String(data: file.bytes(in: 0..<file.byteCount), encoding: .utf8)
        else { throw ConfigurationError("--config", "the file cannot be read, is no text or is larger than 1 MB") }
        return text
    }

    /// The options of `webimage serve`, one for each setting.
    static let options: [Option] = ServiceConfiguration.settings.flatMap { setting in
        setting.value == "yes|no"
            ? [Option.flag(setting.name), .flag("no-" + setting.name)] : [.value(setting.name)]
    }

    private static let names = Set(options.map(\.name))

    /// Returns the options of a command line that are settings of the service. The result has the form and the order of
    /// the command line.
    static func flags(_ arguments: Arguments) -> [String] {
        let valued = Set(options.filter(\.takesArgument).map(\.name))
        return arguments.given.compactMap { name, value in
            guard names.contains(name) else { return nil }
            return valued.contains(name) ? "--\(name)=\(value)" : "--\(name)"
        }
    }
}
