import Foundation

extension String {
    /// Formats as `printf(3)` does in the C locale, with a point in every number.
    ///
    /// `String(format:)` follows `setlocale(3)`, which GTK calls: cache keys and JSON would have a decimal comma in half
    /// of Europe.
    package init(plainFormat format: String, _ arguments: any CVarArg...) {
        let previous = Self.plainLocale.map { uselocale($0) }
        defer { if let previous { _ = uselocale(previous) } }
        self.init(format: format, arguments: arguments)
    }

    // Unsafe is true because a locale does not change once it is made (newlocale(3)). The other categories are C's too.
    nonisolated(unsafe) private static let plainLocale = newlocale(1 << LC_NUMERIC, "C", nil)
}
