import Foundation
import WebImageCore

/// Identifies an encoded image by its variant, every option that changes a pixel, the format and the encoding options.
struct EncodedKey: Hashable, Sendable {
    /// The digest of everything except ``coder`` and ``animatedClass``, as 32 hexadecimal digits.
    let digest: String
    private let coder: RoleIdentity?
    private let animatedClass: ObjectIdentifier?

    /// Whether the digest is sufficient to identify the image, in this process and in other processes. True if the
    /// request names neither a coder nor an animated image class.
    let isPersistent: Bool

    var storageKey: String { "encoded:" + digest }

    /// Creates the key. Returns nil if the variant has no key: such an image must not be cached. Also returns nil if a
    /// decode option has no text form.
    init?(_ plan: LoadPlan, format: ImageFormat, options: EncodingOptions) {
        guard let variant = plan.keys.variant, let further = Self.text(of: plan.decoding.options.foreignOptions) else {
            return nil
        }
        coder = plan.context.coder.map { RoleIdentity($0) }
        animatedClass = plan.context.animatedImageClass.map { ObjectIdentifier($0) }
        isPersistent = coder == nil && animatedClass == nil
        let fingerprint = KeyFingerprint(parts: [
            "encoded 1", Self.hexadecimal(variant.fingerprint), Self.text(of: plan.decoding.options), further,
            "\(plan.options.intersection([.transformAnimatedImage, .transformVectorImage]).rawValue)",
            "\(format.rawValue)", Self.text(of: options), Self.digest(of: options.metadata.exif),
            Self.digest(of: options.metadata.xmp), "\(options.metadata.orientation.rawValue)",
        ])
        digest = Self.hexadecimal(fingerprint)
    }

    // Reflection converts the options to text. If a property is added to the options, the key therefore includes it
    // without a change of this code. The decoding limits are omitted, because limits do not change pixels.

    private static func text(of options: DecodingOptions) -> String {
        var options = options
        options.foreignOptions = ForeignCoderOptions()
        options.limits = .default
        return String(reflecting: options)
    }

    private static func text(of options: EncodingOptions) -> String {
        var options = options
        // Remove the metadata, because the text of `Data` contains only its length. The key contains digests of the
        // metadata instead.
        options.metadata = EmbeddedMetadata()
        return String(reflecting: options)
    }

    /// Returns the options as text; nil if a value has no text form.
    private static func text(of options: ForeignCoderOptions) -> String? {
        var lines: [String] = []
        for (key, value) in options.values.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard value is String || value is any Numeric || value is Bool || value is NSNumber else { return nil }
            lines.append("\(key.rawValue.utf8.count):\(key.rawValue)=\(value)")
        }
        return lines.joined(separator: "\n")
    }

    private static func digest(of data: Data?) -> String? { data.map { EntityTag.tag(of: $0) } }

    private static func hexadecimal(_ fingerprint: KeyFingerprint) -> String {
        fingerprint.data.map { String(plainFormat: "%02x", $0) }.joined()
    }
}
