/// The places in files at which settings were read, such as `/etc/webimage/serve.conf:12`. Errors name them, so that an
/// operator finds the line.
public struct SettingPlaces: Sendable, Hashable {
    /// One place for each value of a list, and one place for any other setting.
    private var places: [String: [String]] = [:]

    package init() {}

    /// The place of a setting, or of the last value of a list. Nil if the setting is in no file. A place that is set
    /// replaces the places of all values.
    public subscript(name: String) -> String? {
        get { places[name]?.last }
        set { places[name] = newValue.map { [$0] } }
    }

    /// The place of the value that an error is about.
    package func place(of error: ConfigurationError) -> String? {
        guard let all = places[error.name] else { return nil }
        return error.index.flatMap { all.indices.contains($0) ? all[$0] : nil } ?? all.last
    }

    /// Adds the places of other settings. They replace the places of the same settings.
    package mutating func merge(_ other: SettingPlaces) { places.merge(other.places) { $1 } }

    /// Adds the place of a number of values of a list, or of another setting. A list in a file replaces the values of
    /// earlier files, and so do its places.
    mutating func add(_ place: String, for name: String, valueCount: Int, isFirst: Bool) {
        places[name] = (isFirst ? [] : places[name] ?? []) + Array(repeating: place, count: valueCount)
    }
}
