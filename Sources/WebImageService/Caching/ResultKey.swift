import Foundation
import WebImageCore

/// Identifies a result. The key is computed from the kind of result, the source, the options and settings that can
/// change a byte of the result, the formats that the client accepts, and the generation of the source.
struct ResultKey: Sendable, Hashable {
    /// The source's URL after replacements were applied.
    let source: String
    /// The SHA-256 hash of all parts of the key, as 64 hexadecimal digits.
    let digest: String
    /// The number of purges of the source before the key was created.
    let generation: Int

    /// - Parameters:
    ///   - place: The version of a local file (``SourcePolicy/Reference/fileVersion``), or the store of an object; nil for
    ///     other sources.
    ///   - fingerprint: The text of the settings that can change results.
    init(
        kind: ImageTarget.Kind = .picture, source: String, place: String? = nil, options: ProcessingOptions,
        accepted: AcceptedFormats, generation: Int, fingerprint: String
    ) {
        self.source = source
        self.generation = generation
        let accept = options.format == nil ? accepted.keyText : ""
        let parts = [
            kind.rawValue, source, place ?? "", options.keyText, accept, String(generation), fingerprint,
        ]
        // Each part is preceded by its length, so that different lists of parts always have different texts.
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined(separator: "\n")
        digest = Self.digest(text)
    }

    static func digest(_ text: String) -> String {
        HMAC.sha256(Array(text.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }
}

extension ProcessingOptions {
    /// The options that can change a byte of the result, in a normalised spelling. Options with default values are
    /// omitted.
    var keyText: String {
        var parts: [String] = []
        let standard = ProcessingOptions()
        func add<Value: Equatable>(_ name: String, _ path: KeyPath<ProcessingOptions, Value>) {
            if self[keyPath: path] != standard[keyPath: path] { parts.append("\(name)=\(self[keyPath: path])") }
        }
        add("rt", \.resizing)
        add("w", \.width)
        add("h", \.height)
        add("mw", \.minWidth)
        add("mh", \.minHeight)
        add("zx", \.zoomX)
        add("zy", \.zoomY)
        add("dpr", \.dpr)
        add("el", \.enlarge)
        add("ex", \.extend)
        add("exar", \.extendAspectRatio)
        add("exbg", \.extendBackground)
        add("g", \.gravity)
        add("c", \.crop)
        add("mc", \.manualCrop)
        add("fa", \.focalArea)
        add("t", \.trim)
        add("pd", \.padding)
        add("ar", \.autoRotate)
        add("rot", \.quarterTurns)
        add("angle", \.angle)
        add("fh", \.flipHorizontal)
        add("fv", \.flipVertical)
        add("fl", \.flipsLast)
        add("cx", \.cutsExactly)
        add("ee", \.extendsExactly)
        add("ad", \.isAdaptive)
        add("kw", \.keepsSourceWidth)
        add("kh", \.keepsSourceHeight)
        add("steps", \.pixelSteps)
        add("bg", \.background)
        add("bl", \.blur)
        add("sh", \.sharpen)
        add("pix", \.pixelate)
        add("gray", \.isGray)
        add("br", \.brightness)
        add("co", \.contrast)
        add("sa", \.saturation)
        add("rgb", \.channels)
        add("rc", \.roundCorner)
        add("wm", \.watermark)
        add("sm", \.stripMetadata)
        add("kcr", \.keepCopyright)
        add("scp", \.stripColorProfile)
        add("ph", \.preserveHDR)
        add("vts", \.videoSecond)
        add("pg", \.page)
        add("q", \.quality)
        add("aq", \.aim)
        add("mb", \.maxBytes)
        add("f", \.format)
        add("svg", \.drawsSVG)
        add("raw", \.raw)
        add("cb", \.cacheBuster)
        add("ct", \.tags)
        add("limits", \.limits)
        for (format, quality) in formatQuality.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            parts.append("fq=\(format.rawValue):\(quality)")
        }
        for format in skippedFormats.map(\.rawValue).sorted() { parts.append("skp=\(format)") }
        return parts.joined(separator: "\n")
    }
}
