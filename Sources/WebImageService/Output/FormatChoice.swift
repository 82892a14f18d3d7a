import WebImageCore

/// Chooses the format of a result.
struct FormatChoice {
    /// The format that the target names; it overrides every other choice.
    var wanted: OutputFormat?
    var accepted: AcceptedFormats = []
    var source: ImageInfo
    /// Whether the result can have transparent pixels.
    var hasTransparency: Bool
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
            // Of the accepted formats, animations use only WebP. Few clients play animations in AVIF or JPEG XL, and
            // encoding such animations takes many times longer than encoding WebP.
            if staysAnimated, format != .webp { continue }
            return format
        }
        if staysAnimated { return sourceFormat == .png ? .png : .gif }
        if let sourceFormat, [.jpeg, .png, .gif].contains(sourceFormat), canEncode(sourceFormat) {
            return sourceFormat
        }
        return hasTransparency ? .png : .jpeg
    }

    /// Returns another format if the encoders of `format` refuse a result of this size; otherwise returns `format`.
    /// AVIF encoders refuse sides below 16 px. The next format that the client accepts replaces it.
    func replacement(for format: OutputFormat, size: PixelSize) -> OutputFormat {
        guard format == .avif, min(size.width, size.height) < 16 else { return format }
        let others = accepted.formats.filter { $0 != .avif && (!staysAnimated || $0 == .webp) }
        return others.first(where: canEncode) ?? (hasTransparency ? .png : .jpeg)
    }
}
