package import Foundation
import Synchronization

/// A coder and the roles that it implements. A coder is asked once for its roles, when one of them is needed first: most
/// programs use few of their coders, and the runtime searches all types of the program for an answer. No other code casts
/// a coder to a role.
package final class ResolvedCoder: Sendable {
    /// Returns the coder that is used instead of a registered one.
    package typealias Replacement = @Sendable (any ImageCoder) -> any ImageCoder

    private final class Used: Sendable {
        let role: any ImageCoder
        init(_ role: any ImageCoder) { self.role = role }
    }

    private final class Roles: Sendable {
        let detailed: (any DetailedImageCoder)?
        let animated: (any AnimatedImageCoder)?
        let detailedAnimated: (any DetailedAnimatedImageCoder)?
        let frameEncoding: (any FrameEncodingImageCoder)?
        let propertiesReading: (any ImagePropertiesReading)?
        let progressive: (any ProgressiveImageCoder)?

        init(_ role: any ImageCoder) {
            detailed = role as? any DetailedImageCoder
            animated = role as? any AnimatedImageCoder
            detailedAnimated = role as? any DetailedAnimatedImageCoder
            frameEncoding = role as? any FrameEncodingImageCoder
            propertiesReading = role as? any ImagePropertiesReading
            progressive = role as? any ProgressiveImageCoder
        }
    }

    /// The coder that was added to the list.
    package let registered: any ImageCoder
    private let replacement: Replacement?
    private let used = AtomicLazyReference<Used>()
    private let roles = AtomicLazyReference<Roles>()
    /// Threads that need a coder first wait for one of them. One lock for all coders: they are resolved once.
    private static let making = Locked(false)

    package init(_ registered: any ImageCoder, replacedBy replacement: Replacement? = nil) {
        (self.registered, self.replacement) = (registered, replacement)
    }

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

    var detailed: (any DetailedImageCoder)? { resolved.detailed }
    var animated: (any AnimatedImageCoder)? { resolved.animated }
    private var detailedAnimated: (any DetailedAnimatedImageCoder)? { resolved.detailedAnimated }
    var frameEncoding: (any FrameEncodingImageCoder)? { resolved.frameEncoding }
    var propertiesReading: (any ImagePropertiesReading)? { resolved.propertiesReading }
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
        if let detailedAnimated { return try type(of: detailedAnimated).init(animation: data, options: options) }
        guard let animated else { return nil }
        guard let opened = type(of: animated).init(animatedImageData: data, options: options.dictionary) else {
            throw .badData("\(type(of: animated))", "returned no animation")
        }
        return opened
    }
}

extension AnimatedImageCoder {
    /// Returns a frame. If a ``DetailedAnimatedImageCoder`` fails, throws the coder's error, which contains the reason.
    /// If another coder fails, throws a general error.
    ///
    /// - Throws: `.badImageData` when the index is out of range or the frame cannot be decoded, `.limitExceeded` when
    ///   the frame exceeds a limit.
    public func frameWithReason(at index: Int) throws(WebImageError) -> Image {
        if let detailed = self as? any DetailedAnimatedImageCoder { return try detailed.frame(at: index) }
        if let image = animatedImageFrame(at: index) { return image }
        throw .badData("\(type(of: self))", "returned no frame \(index)")
    }
}

extension ProgressiveImageCoder {
    /// The coder if it receives the file in pieces; nil if it needs all bytes at each update. The coder of one file is
    /// asked once, when it is made.
    package var streaming: (any StreamingImageCoder)? { self as? any StreamingImageCoder }
}
