import Foundation

extension String {
    /// Formats text like `printf(3)` in the C locale, so that numbers always have a decimal point.
    ///
    /// `String(format:)` uses the locale that `setlocale(3)` sets, and GTK calls `setlocale(3)`. In many European
    /// locales, cache keys and JSON would then contain a decimal comma.
    package init(plainFormat format: String, _ arguments: any CVarArg...) {
        let previous = Self.plainLocale.map { uselocale($0) }
        defer { if let previous { _ = uselocale(previous) } }
        self.init(format: format, arguments: arguments)
    }

    // `nonisolated(unsafe)` is correct because a locale does not change after its creation (newlocale(3)). All
    // categories of this locale are those of the C locale.
    nonisolated(unsafe) private static let plainLocale = newlocale(1 << LC_NUMERIC, "C", nil)
}
