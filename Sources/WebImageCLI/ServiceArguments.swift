import Foundation
import WebImageCommandLine
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

    /// A configuration and the places of its settings.
    struct Reading: Sendable {
        var configuration = ServiceConfiguration()
        /// The file and the line of each setting that a file contains.
        var places = SettingPlaces()
        /// The secret settings whose value comes from a variable of the process.
        var secretsInVariables: Set<String> = []
        /// The secret settings that a file sets and a variable overrides, with their places in the file.
        var hiddenSecrets: [String: String] = [:]

        /// The values of the settings that are texts.
        func parsed() throws(UsageError) -> ParsedSettings {
            do throws(ConfigurationError) { return try configuration.parsed() } catch { throw self.error(error) }
        }

        /// Converts an error to a message that names the place of the setting.
        func error(_ error: ConfigurationError) -> UsageError { UsageError("\(error.at(places.place(of: error)))") }
    }

    /// Reads the configuration. Blocks while the files are read.
    func configuration() throws(UsageError) -> ServiceConfiguration { try reading().configuration }

    /// Reads the configuration and the places of its settings. Blocks while the files are read.
    func reading() throws(UsageError) -> Reading {
        do throws(ConfigurationError) {
            let first = try reading(secrets: nil)
            let path = first.configuration.secretsFile
            guard !path.isEmpty else { return first }
            let secrets: String
            do throws(ConfigurationError) { secrets = try Self.secrets(path) } catch {
                throw error.at(first.places.place(of: error))
            }
            return try reading(secrets: (path, secrets))
        } catch {
            throw UsageError("\(error)")
        }
    }

    private func reading(secrets: (path: String, text: String)?) throws(ConfigurationError) -> Reading {
        var reading = Reading()
        if let file {
            let text = try Self.text(file, of: "--config")
            reading.places = try reading.configuration.read(file: text, at: file)
        }
        if let secrets {
            let places = try reading.configuration.read(secrets: secrets.text, at: secrets.path)
            reading.places.merge(places)
        }
        let before = reading.configuration
        try reading.configuration.read(environment: environment)
        try reading.configuration.read(flags: flags)
        for setting in ServiceConfiguration.settings
        where ServiceConfiguration.isSecret(setting.name) && environment[setting.variable] != nil {
            reading.secretsInVariables.insert(setting.name)
            reading.hiddenSecrets[setting.name] = reading.places[setting.name]
        }
        // A value from a variable or a flag replaces the value of the file, so the line is not its place.
        for setting in before.differences(from: reading.configuration) { reading.places[setting] = nil }
        let flagged = Set(
            flags.compactMap { $0.dropFirst(2).split(separator: "=", maxSplits: 1).first.map(String.init) })
        for setting in ServiceConfiguration.settings
        where environment[setting.variable] != nil && flagged.isDisjoint(with: [setting.name, "no-" + setting.name]) {
            reading.places[setting.name] = setting.variable
        }
        return reading
    }

    private static func text(_ path: String, of setting: String) throws(ConfigurationError) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw ConfigurationError(setting, "\(path): \(String(cString: strerror(errno)))")
        }
        // Open only a regular file, because reading a folder fails, and reading a device can block for an unlimited
        // time.
        guard let file = ServiceFile(path: (path as NSString).resolvingSymlinksInPath), file.byteCount <= 1 << 20,
            let text = String(data: file.bytes(in: 0..<file.byteCount), encoding: .utf8)
        else {
            throw ConfigurationError(setting, "\(path): the file cannot be read, is no text or is larger than 1 MB")
        }
        return text
    }

    /// Reads the file of the secrets. It must not be readable by every user of the machine, and only its owner may
    /// change it.
    private static func secrets(_ path: String) throws(ConfigurationError) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw ConfigurationError("secrets-file", "\(path): \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & 0o027 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw ConfigurationError(
                "secrets-file", "\(path) has the mode \(mode), so others could read or change it; use chmod 640")
        }
        guard status.st_uid == 0 || status.st_uid == geteuid() else {
            throw ConfigurationError("secrets-file", "\(path) belongs to another user, not to root or this user")
        }
        return try text(path, of: "secrets-file")
    }

    /// The options of `webimage serve`, one for each setting. A setting that is on or off has two.
    static let options: [CommandOption] = ServiceConfiguration.settings.flatMap { setting -> [CommandOption] in
        guard setting.value == "yes|no" else {
            let standard = setting.standard.isEmpty ? "" : " (default \(setting.standard))"
            let words = ServiceConfiguration.words(of: setting.name)
            return [.value(setting.name, setting.value, setting.help + standard, words: words)]
        }
        let mark = setting.standard == "yes" ? " (default)" : ""
        return [.flag(setting.name, setting.help + mark), .flag("no-" + setting.name, "turn --\(setting.name) off")]
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
