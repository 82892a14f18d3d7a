import WebImageCore

/// Chooses the format of a result.
struct FormatChoice {
    /// The format that the target names; it overrides every other choice.
    var wanted: OutputFormat?
    var accepted: AcceptedFormats = []
    var source: ImageInfo
    /// Whether the result may be an animation.
    var staysAnimated = false
    var canEncode: (OutputFormat) -> Bool

    func choose() throws(ServiceRefusal) -> OutputFormat {
        let sourceFormat = OutputFormat(source.format)
        if let wanted {
            if wanted == .svg {
                guard sourceFormat == .svg else { throw .option("format", "svg is made from SVG sources alone") }
                return .svg
            }
            guard canEncode(wanted) else { throw .option("format", "\(wanted.rawValue) cannot be written here") }
            return wanted
        }
        for format in accepted.formats where canEncode(format) {
            // Few clients play animations in AVIF and JPEG XL, and encoding them takes many times longer.
            if staysAnimated, format != .webp { continue }
            return format
        }
        if staysAnimated { return sourceFormat == .png ? .png : .gif }
        if let sourceFormat, [.jpeg, .png].contains(sourceFormat) { return sourceFormat }
        return source.hasAlpha ? .png : .jpeg
    }

    /// The replacement for a format that cannot store a result this small: AVIF encoders refuse sides below 16 px.
    static func replacement(for format: OutputFormat, size: PixelSize, hasAlpha: Bool) -> OutputFormat {
        guard format == .avif, min(size.width, size.height) < 16 else { return format }
        return hasAlpha ? .png : .jpeg
    }
}
