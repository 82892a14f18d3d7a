extension ServiceConfiguration {
    /// Reads settings from flags of the form `--name value` or `--name=value`. A yes-or-no setting needs no
    /// value: `--name` means yes, `--no-name` means no.
    ///
    /// - Throws: `ConfigurationError` for unknown names, for missing or wrong values, and for secrets. Secrets are
    ///   accepted only in the file and in variables.
    public mutating func read(flags: [String]) throws(ConfigurationError) {
        var rest = flags[...]
        var given: Set<String> = []
        while let flag = rest.popFirst() {
            guard flag.hasPrefix("--") else { throw ConfigurationError(flag, "a setting is --NAME VALUE") }
            let parts = flag.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            var name = String(parts[0])
            var value = parts.count == 2 ? String(parts[1]) : nil
            if ConfigurationTable.byName[name] == nil, name.hasPrefix("no-"),
                ConfigurationTable.byName[String(name.dropFirst(3))]?.value == "yes|no", value == nil
            {
                (name, value) = (String(name.dropFirst(3)), "no")
            }
            let row = try Self.row(name, spelled: flag)
            guard !row.isSecret else {
                throw ConfigurationError(
                    "--\(name)", "secrets are not taken from the command line; use the file or \(row.variable)")
            }
            if value == nil, row.value == "yes|no" { value = "yes" }
            guard let value = value ?? rest.popFirst() else {
                throw ConfigurationError("--\(name)", "the value is missing")
            }
            try set(row, to: value, &given)
        }
    }

    /// Reads settings from `WEBIMAGE_…` variables. Variables without this prefix are ignored. An unknown variable with
    /// this prefix is an error.
    ///
    /// - Parameter others: The names of variables that have this prefix but are not settings. They are ignored.
    public mutating func read(
        environment: [String: String],
        ignoring others: Set<String> = [
            "WEBIMAGE_LOG", "WEBIMAGE_CONFIG", "WEBIMAGE_HEADER", "WEBIMAGE_COOKIE", "WEBIMAGE_USER",
            "WEBIMAGE_CONFORMANCE", "WEBIMAGE_PDFIUM", "WEBIMAGE_JPEG_THUMBNAILS", "WEBIMAGE_SANDBOX_MODE",
        ]
    ) throws(ConfigurationError) {
        var given: Set<String> = []
        let byVariable = Dictionary(ConfigurationTable.rows.map { ($0.variable, $0) }) { first, _ in first }
        for (name, value) in environment.sorted(by: { $0.key < $1.key })
        where name.hasPrefix("WEBIMAGE_") && !others.contains(name) {
            guard let row = byVariable[name] else { throw ConfigurationError(name, "no setting has this name") }
            do throws(ConfigurationError) {
                try set(row, to: value, &given)
            } catch {
                // The operator has set the variable, so the error has the name of the variable.
                throw ConfigurationError(name, error.problem)
            }
        }
    }

    /// Reads settings from the text of a configuration file. Each line is `name = value`; lines that begin with `#` are
    /// comments. A list setting may occur several times.
    ///
    /// - Parameter path: The path of the file, for error messages.
    /// - Returns: The file and the line of each setting and of each value of a list.
    @discardableResult
    public mutating func read(
        file text: String, at path: String = ""
    ) throws(ConfigurationError) -> SettingPlaces {
        try read(lines: text, at: path) { name throws(ConfigurationError) in try Self.row(name, spelled: name) }
    }

    /// Reads secret settings from the text of a secrets file. A name may be written as in a configuration file (`key`)
    /// or as a variable (`WEBIMAGE_KEY`), because the file can also serve as an `EnvironmentFile` of systemd.
    ///
    /// - Throws: `ConfigurationError` also for a setting that is not secret.
    @discardableResult
    package mutating func read(secrets text: String, at path: String) throws(ConfigurationError) -> SettingPlaces {
        try read(lines: text, at: path) { name throws(ConfigurationError) in
            guard let row = ConfigurationTable.rows.first(where: { $0.name == name || $0.variable == name }) else {
                throw ConfigurationError(String(name.prefix(80)), "no setting has this name")
            }
            guard row.isSecret else {
                throw ConfigurationError(name, "the setting is not secret; it belongs into the configuration file")
            }
            return row
        }
    }

    private mutating func read(
        lines text: String, at path: String, row: (String) throws(ConfigurationError) -> ConfigurationTable.Row
    ) throws(ConfigurationError) -> SettingPlaces {
        var given: Set<String> = []
        var places = SettingPlaces()
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmed
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let place = path.isEmpty ? "line \(index + 1)" : "\(path):\(index + 1)"
            do throws(ConfigurationError) {
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = parts[0].trimmed
                guard parts.count == 2 else {
                    // The line can be a secret without its name.
                    throw ConfigurationError("the line", "a setting is NAME = VALUE")
                }
                let row = try row(name)
                if row.list == nil, let first = places[row.name] {
                    throw ConfigurationError(name, "the setting is already set at \(first); remove one of the lines")
                }
                let isFirst = !given.contains(row.name)
                let before = isFirst ? 0 : row.list?.count(self) ?? 0
                try set(row, to: parts[1].trimmed, &given)
                places.add(
                    place, for: row.name, valueCount: (row.list?.count(self) ?? 1) - before, isFirst: isFirst)
            } catch {
                throw error.at(place)
            }
        }
        return places
    }

    /// Sets one value. If the setting is a list and occurs for the first time in a call of `read`, the values from
    /// earlier calls of `read` are removed first. Therefore the list in the flags replaces the list in the file.
    private mutating func set(
        _ row: ConfigurationTable.Row, to value: String, _ given: inout Set<String>
    ) throws(ConfigurationError) {
        if given.insert(row.name).inserted { row.list?.clear(&self) }
        try row.read(&self, value)
    }

    private static func row(_ name: String, spelled: String) throws(ConfigurationError) -> ConfigurationTable.Row {
        guard let row = ConfigurationTable.byName[name] else {
            throw ConfigurationError(String(spelled.prefix(80)), "no setting has this name")
        }
        return row
    }

    /// All settings in the format of the file, as `--print-config` shows them. The comment of a setting states whether a
    /// change needs a restart. For a secret setting, the text contains
    /// only the number of its values.
    public var printed: String {
        ConfigurationTable.rows.map { row in
            let effect = row.effect == .fixed ? "; needs a restart" : ""
            return "# \(row.help) [\(row.value)\(effect)]\n"
                + "\(row.isSecret ? "# " : "")\(row.name) = \(row.print(self))\n"
        }.joined()
    }

    /// Whether the setting with this name is a secret. Secrets are refused as flags.
    package static func isSecret(_ name: String) -> Bool { ConfigurationTable.byName[name]?.isSecret ?? false }

    /// The words that a list with this name can have.
    package static func words(of name: String) -> [String] { ConfigurationTable.byName[name]?.words ?? [] }

    /// The name, variable, kind of value, meaning and default of every setting, for help texts and documentation.
    public static var settings: [(name: String, variable: String, value: String, help: String, standard: String)] {
        let standard = ServiceConfiguration()
        return ConfigurationTable.rows.map { ($0.name, $0.variable, $0.value, $0.help, $0.print(standard)) }
    }
}
