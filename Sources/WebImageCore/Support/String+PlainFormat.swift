import Foundation

extension String {
    /// Formats as `printf(3)` does in the C locale, with a decimal point in every number.
    ///
    /// `String(format:)` uses the locale of `setlocale(3)`, which GTK calls: in many European locales, cache keys and
    /// JSON would contain a decimal comma.
    package init(plainFormat format: String, _ arguments: any CVarArg...) {
        let previous = Self.plainLocale.map { uselocale($0) }
        defer { if let previous { _ = uselocale(previous) } }
        self.init(format: format, arguments: arguments)
    }

    // Unsafe is true because a locale does not change after it is made (newlocale(3)). Its other categories are also
    // those of the C locale.
    nonisolated(unsafe) private static let plainLocale = newlocale(1 << LC_NUMERIC, "C", nil)
}
