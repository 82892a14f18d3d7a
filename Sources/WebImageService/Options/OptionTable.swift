/// The options of imgproxy's grammar. Each row defines the names of an option and the function that reads its
/// arguments.
enum OptionTable {
    typealias Reader =
        @Sendable (inout ProcessingOptions, inout OptionArguments) throws(ServiceRefusal) -> Void

    struct Row: Sendable {
        /// The name and its aliases.
        let names: [String]
        /// The arguments, as the start page shows them; nil for an option that is always refused.
        let arguments: String?
        let read: Reader

        init(_ names: String..., takes arguments: String? = nil, read: @escaping Reader) {
            self.names = names
            self.arguments = arguments
            self.read = read
        }
    }

    static let rows: [Row] = sizes + places + effects + files + limits

    private static let byName: [String: Row] = {
        var found: [String: Row] = [:]
        for row in rows { for name in row.names { found[name] = row } }
        return found
    }()

    /// All names of the option that has the given name or alias; only the given name if there is no such option.
    static func names(of name: String) -> Set<String> { Set(byName[name]?.names ?? [name]) }

    /// Whether a name is an option, including the option that lists presets.
    static func isOption(_ name: Substring) -> Bool {
        byName[String(name)] != nil || PresetTable.names.contains(name)
    }

    /// Whether a name is an option with which a target limits its own cost.
    static func isLimit(_ name: Substring) -> Bool { limits.contains { $0.names.contains(String(name)) } }

    /// Reads one option into `options`.
    static func apply(
        _ name: Substring, _ arguments: [Substring], to options: inout ProcessingOptions
    ) throws(ServiceRefusal) {
        guard let row = byName[String(name)] else { throw .option(name, "not supported here") }
        var reader = OptionArguments(name: name, arguments: arguments)
        try row.read(&options, &reader)
        try reader.finish()
    }

    static let plainAnchors = Set(Gravity.Anchor.allCases).subtracting([.smart, .focusPoint])
    static let extendAnchors = Set(Gravity.Anchor.allCases).subtracting([.smart])

    /// The valid range of a side in pixels. The range includes the ``OutputFormat/maxDimension`` of every format.
    static let side = 0...100_000

    /// Reads a flag and a gravity, for example `1:no:0:10`. An empty flag leaves `isEnabled` unchanged.
    static func readExtension(
        _ extension: inout ProcessingOptions.Extension, _ arguments: inout OptionArguments
    ) throws(ServiceRefusal) {
        if let flag = arguments.nextUnlessEmpty() { `extension`.isEnabled = arguments.boolean(flag) }
        if !arguments.isEmpty { `extension`.gravity = try arguments.gravity(allowing: extendAnchors) }
    }

    /// Reads `w:h:enlarge:extend[:gravity]`. Each argument may be empty or missing.
    static func readSize(
        _ options: inout ProcessingOptions, _ arguments: inout OptionArguments
    ) throws(ServiceRefusal) {
        if let width = arguments.nextUnlessEmpty() {
            options.width = try arguments.integer(width, in: side, "the width")
        }
        if let height = arguments.nextUnlessEmpty() {
            options.height = try arguments.integer(height, in: side, "the height")
        }
        if let enlarge = arguments.nextUnlessEmpty() { options.enlarge = arguments.boolean(enlarge) }
        if !arguments.isEmpty { try readExtension(&options.extend, &arguments) }
    }

    static func readResizing(
        _ text: Substring, of arguments: OptionArguments, _ options: inout ProcessingOptions
    ) throws(ServiceRefusal) {
        guard let resizing = ProcessingOptions.Resizing(rawValue: String(text)), resizing != .cover else {
            throw arguments.refusal("\(Printable(text)) is none of fit, fill, fill-down, force, auto")
        }
        options.resizing = resizing
    }
}
