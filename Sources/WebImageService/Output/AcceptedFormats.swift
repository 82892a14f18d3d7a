import Foundation

/// The formats that the client accepts and the service offers. The formats that every client displays are not included.
///
/// This set is a normalised form of `Accept`. It is part of result keys, and every distinct key is a separate result.
/// Unlike the text of `Accept`, the set has only few distinct values, so few separate results are made.
struct AcceptedFormats: OptionSet, Sendable, Hashable {
    let rawValue: Int

    static let avif = AcceptedFormats(rawValue: 1)
    static let jxl = AcceptedFormats(rawValue: 2)
    static let webp = AcceptedFormats(rawValue: 4)

    /// Parses `Accept` (RFC 9110 §12.5.1). Media ranges such as `image/*` are ignored, because clients that support
    /// none of these formats also send such ranges.
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

    /// Whether a parameter such as `q=0` or `q=0.0` declares that the format is not acceptable.
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
