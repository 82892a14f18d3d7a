import Foundation

/// The formats that a client accepts and the service offers, beyond those that every client displays.
///
/// A normal form of `Accept`. Results are keyed by it, so it has few values.
struct AcceptedFormats: OptionSet, Sendable, Hashable {
    let rawValue: Int

    static let avif = AcceptedFormats(rawValue: 1)
    static let jxl = AcceptedFormats(rawValue: 2)
    static let webp = AcceptedFormats(rawValue: 4)

    /// Reads `Accept` (RFC 9110 §12.5.1). Ranges such as `image/*` are ignored: clients send them without supporting these
    /// formats.
    init(accept: String?, offered: AcceptedFormats) {
        self.init()
        for range in (accept ?? "").prefix(4096).split(separator: ",").prefix(64) {
            let parts = range.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            guard let type = parts.first, !parts.dropFirst().contains(where: Self.isZeroWeight) else { continue }
            switch type {
            case "image/avif": insert(.avif)
            case "image/jxl": insert(.jxl)
            case "image/webp": insert(.webp)
            default: break
            }
        }
        formIntersection(offered)
    }

    init(rawValue: Int) { self.rawValue = rawValue }

    /// Whether a parameter is `q=0`, `q=0.0` and so on: not acceptable.
    private static func isZeroWeight(_ parameter: String) -> Bool {
        guard parameter.hasPrefix("q="), let weight = Double(parameter.dropFirst(2)) else { return false }
        return weight <= 0
    }

    /// The formats in order of preference.
    var formats: [OutputFormat] {
        [(AcceptedFormats.avif, OutputFormat.avif), (.jxl, .jxl), (.webp, .webp)].filter { contains($0.0) }.map(\.1)
    }

    /// The text that represents the formats in a result's key.
    var keyText: String { formats.map(\.rawValue).joined(separator: "+") }
}
