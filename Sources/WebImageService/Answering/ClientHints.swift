/// The client hints for screen and network (RFC 8942). They apply only to options that the target does not set.
enum ClientHints {
    /// The names of the request fields on which answers depend. `Vary` lists these names.
    static let names = ["Sec-CH-Width", "Width", "Sec-CH-DPR", "DPR", "Save-Data"]

    /// Applies hints to options that the target does not set. The values of the hints become part of result keys, and
    /// every distinct key is a separate result. The values are rounded, so that few distinct keys occur.
    static func apply(_ headers: ServiceHeaders, to options: inout ProcessingOptions) {
        let ratio = number(headers["Sec-CH-DPR"] ?? headers["DPR"], in: 0.5...8)
        if options.width == 0, options.height == 0, options.dpr == 1 {
            // `Width` counts physical pixels, so no DPR is applied to it. It is rounded up to a multiple of 64 px.
            if let width = number(headers["Sec-CH-Width"] ?? headers["Width"], in: 1...16_384) {
                options.width = (Int(width.rounded(.up)) + 63) / 64 * 64
            }
        } else if options.dpr == 1, let ratio {
            // Round the ratio to a multiple of 0.25, because the ratios of real screens differ by at least that much.
            options.dpr = (ratio * 4).rounded() / 4
        }
        if options.quality == 0, headers["Save-Data"]?.lowercased() == "on" { options.quality = 50 }
    }

    private static func number(_ text: String?, in range: ClosedRange<Double>) -> Double? {
        guard let text, text.utf8.count <= 16, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
            let value = Double(text), range.contains(value)
        else { return nil }
        return value
    }
}
