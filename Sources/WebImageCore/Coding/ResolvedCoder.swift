package import Foundation
import Synchronization

/// A coder of a list, with what it declares. Whether it decodes animations and partial images is found by a cast, because
/// coders written for SDWebImage declare only protocols. This happens once, when the answer is needed first: most programs
/// use few of their coders, and the runtime searches all types of the program for an answer.
package final class ResolvedCoder: Sendable {
    /// Returns the coder that is used instead of a registered one.
    package typealias Replacement = @Sendable (any ImageCoder) -> any ImageCoder

    private final class Used: Sendable {
        let role: any ImageCoder
        init(_ role: any ImageCoder) { self.role = role }
    }

    private final class Roles: Sendable {
        let animated: (any AnimatedImageCoder)?
        let progressive: (any ProgressiveImageCoder)?

        init(_ role: any ImageCoder) {
            animated = role as? any AnimatedImageCoder
            progressive = role as? any ProgressiveImageCoder
        }
    }

    /// The coder that was added to the list.
    package let registered: any ImageCoder
    private let signatures: [FileSignature]?
    private let replacement: Replacement?
    private let used = AtomicLazyReference<Used>()
    private let roles = AtomicLazyReference<Roles>()
    /// Threads that need a coder first wait for one of them. One lock for all coders: they are resolved once.
    private static let making = Locked(false)

    package init(_ registered: any ImageCoder, replacedBy replacement: Replacement? = nil) {
        (self.registered, self.replacement) = (registered, replacement)
        signatures = registered.signatures
    }

    /// Whether the coder must be asked about a file. False if the coder declares other signatures.
    func mayRead(_ file: inout SniffedFile) -> Bool {
        guard let signatures else { return true }
        for signature in signatures where signature.matches(&file) { return true }
        return false
    }

    /// Whether the coder recognises a file.
    func canDecode(_ file: inout SniffedFile) -> Bool { mayRead(&file) && role.canDecode(from: file.data) }

    /// Whether ``role`` may be another coder than ``registered``.
    package var isReplaced: Bool { replacement != nil }

    /// Whether the roles are known.
    var isResolved: Bool { roles.load() != nil }

    /// The coder that is used.
    package var role: any ImageCoder {
        guard let replacement else { return registered }
        if let known = used.load() { return known.role }
        return Self.making.withLock { _ in used.load() ?? used.storeIfNil(Used(replacement(registered))) }.role
    }

    private var resolved: Roles {
        if let known = roles.load() { return known }
        let role = role
        return Self.making.withLock { _ in roles.load() ?? roles.storeIfNil(Roles(role)) }
    }

    var detailed: (any DetailedImageCoder)? { role.detailed }
    var animated: (any AnimatedImageCoder)? { resolved.animated }
    package var progressive: (any ProgressiveImageCoder)? { resolved.progressive }

    /// Decodes the data. If a ``DetailedImageCoder`` fails, throws the coder's error, which contains the reason. If
    /// another coder fails, throws a general error.
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        if let detailed { return try detailed.decode(data, options: options) }
        guard let image = role.decodedImage(with: data, options: options.dictionary) else {
            throw .badData("\(type(of: role))", "returned no image")
        }
        image.countsAsDecoded = true
        return image
    }

    /// Encodes the image. If a ``DetailedImageCoder`` fails, throws the coder's error, which contains the reason. If
    /// another coder fails, throws a general error.
    package func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        if let detailed { return try detailed.encode(image, format: format, options: options) }
        if let data = role.encodedData(with: image, format: format, options: options.dictionary) { return data }
        throw WebImageError(
            .encodingFailed, stage: .encode,
            underlying: .codec(library: "\(type(of: role))", message: "returned no data"))
    }

    /// Opens an animation. Returns nil if the coder cannot decode animations.
    func animation(of data: Data, options: DecodingOptions) throws(WebImageError) -> (any AnimatedImageCoder)? {
        guard let animated else { return nil }
        if let detailed = animated.detailedAnimated {
            return try type(of: detailed).init(animation: data, options: options)
        }
        guard let opened = type(of: animated).init(animatedImageData: data, options: options.dictionary) else {
            throw .badData("\(type(of: animated))", "returned no animation")
        }
        return opened
    }
}
