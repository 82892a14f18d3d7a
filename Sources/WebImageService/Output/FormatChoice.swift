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
    var canEncodeFrames: (OutputFormat) -> Bool = { $0 == .webp }

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
        // WebP is the fastest one to encode, so that it is the animation if the others take too long.
        if staysAnimated, let format = animated.last { return format }
        if !staysAnimated, let format = accepted.formats.first(where: canEncode) { return format }
        if staysAnimated { return sourceFormat == .png ? .png : .gif }
        if let sourceFormat, [.jpeg, .png, .gif].contains(sourceFormat), canEncode(sourceFormat) {
            return sourceFormat
        }
        return hasTransparency ? .png : .jpeg
    }

    /// The accepted formats in which the result can be an animation.
    private var animated: [OutputFormat] { accepted.formats.filter { canEncode($0) && canEncodeFrames($0) } }

    /// Returns the formats of which the smallest result is sent, beginning with `format`: all accepted ones for an animation, and
    /// AVIF and JPEG XL for a still whose quality follows from a score, so that both look the same.
    func candidates(with format: OutputFormat, size: PixelSize, hasAim: Bool) -> [OutputFormat] {
        guard wanted == nil, accepted.formats.contains(format) else { return [format] }
        let others = staysAnimated ? animated : hasAim ? accepted.formats.filter { $0 != .webp && canEncode($0) } : []
        return [format] + others.filter { $0 != format && replacement(for: $0, size: size) == $0 }
    }

    /// Returns another format if the encoders of `format` refuse a result of this size; otherwise returns `format`.
    /// AVIF encoders refuse sides below 16 px. The next format that the client accepts replaces it.
    func replacement(for format: OutputFormat, size: PixelSize) -> OutputFormat {
        guard format == .avif, min(size.width, size.height) < 16 else { return format }
        let others = (staysAnimated ? animated.reversed() : accepted.formats.filter(canEncode)).filter { $0 != .avif }
        if staysAnimated, others.isEmpty { return .gif }
        return others.first ?? (hasTransparency ? .png : .jpeg)
    }
}
