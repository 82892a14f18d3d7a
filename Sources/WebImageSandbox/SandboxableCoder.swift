import Foundation
import WebImageCore

/// A coder of this package that runs in workers.
///
/// The requirements after ``shared`` have one implementation for coders with an ability and one for those without it.
protocol SandboxableCoder: ImageCoder {
    /// The formats that the coder reads.
    static var formats: [ImageFormat] { get }
    static var shared: Self { get }

    /// Whether the host sends data to a worker of this coder. Looks only at the signature.
    static func recognises(_ data: Data) -> Bool

    // In a worker.
    /// Whether the decoder of an animation uses the bytes of the file after ``decode(_:options:)`` has returned.
    static var keepsBytes: Bool { get }
    static func openAnimation(_ data: Data, _ options: DecodingOptions) throws(WebImageError)
        -> any AnimatedImageCoder
    static func makeStream(_ options: DecodingOptions) throws(WebImageError) -> any StreamingImageCoder
    /// Whether ``gainMap(of:options:)`` can find a map.
    static var readsGainMaps: Bool { get }
    static func gainMap(of data: Data, options: DecodingOptions) throws(WebImageError) -> GainMap?

    // In the host.
    /// The coder that decodes in workers.
    static var sandboxed: any ImageCoder { get }
    /// The coder that decodes in workers, as a coder of animations and of partial images; nil if it is none.
    static func animated(_ coder: SandboxedCoder<Self>) -> (any AnimatedImageCoder)?
    static func progressive(_ coder: SandboxedCoder<Self>) -> (any ProgressiveImageCoder)?
    /// The result of a decode whose first frame is `poster`.
    static func image(_ poster: Image, _ animation: SandboxAnimation?) -> Image
}

extension SandboxableCoder {
    static func recognises(_ data: Data) -> Bool { shared.canDecode(from: data) }

    static var keepsBytes: Bool { false }

    static func openAnimation(
        _ data: Data, _ options: DecodingOptions
    ) throws(WebImageError) -> any AnimatedImageCoder { throw .noAnimation }

    static func makeStream(_ options: DecodingOptions) throws(WebImageError) -> any StreamingImageCoder {
        throw .badData("decoder process", "this format cannot be decoded in pieces")
    }

    static var readsGainMaps: Bool { false }

    static func gainMap(of data: Data, options: DecodingOptions) throws(WebImageError) -> GainMap? { nil }

    static var sandboxed: any ImageCoder { SandboxedCoder<Self>() }

    static func animated(_ coder: SandboxedCoder<Self>) -> (any AnimatedImageCoder)? { nil }

    static func progressive(_ coder: SandboxedCoder<Self>) -> (any ProgressiveImageCoder)? { nil }

    static func image(_ poster: Image, _ animation: SandboxAnimation?) -> Image { poster }
}

extension SandboxableCoder where Self: AnimatedImageCoder {
    static func animated(_ coder: SandboxedCoder<Self>) -> (any AnimatedImageCoder)? { coder }

    static var keepsBytes: Bool { true }

    static func openAnimation(
        _ data: Data, _ options: DecodingOptions
    ) throws(WebImageError) -> any AnimatedImageCoder { try Self(animation: data, options: options) }

    static func image(_ poster: Image, _ animation: SandboxAnimation?) -> Image {
        guard let animation else { return poster }
        return AnimatedImage(sharing: poster, animatedCoder: SandboxedCoder<Self>(animation))
    }
}

extension SandboxableCoder where Self: StreamingImageCoder {
    static func progressive(_ coder: SandboxedCoder<Self>) -> (any ProgressiveImageCoder)? { coder }

    static func makeStream(_ options: DecodingOptions) throws(WebImageError) -> any StreamingImageCoder {
        Self(incremental: options)
    }
}

extension SandboxableCoder where Self: GainMapReading {
    static var readsGainMaps: Bool { true }

    static func gainMap(of data: Data, options: DecodingOptions) throws(WebImageError) -> GainMap? {
        try shared.gainMap(of: data, options: options)
    }
}
