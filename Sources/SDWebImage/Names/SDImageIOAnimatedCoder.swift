public import Foundation
public import WebImage
import WebImageCodecs

/// The base class of the coders for animated formats: ``SDImageGIFCoder``, ``SDImageAPNGCoder`` and
/// ``SDImageAWebPCoder``. A subclass can override every method; the library calls the overrides.
///
/// An object of one of the three classes itself is registered as the built-in coder of its format. A subclass for
/// another format must override ``imageFormat`` and all methods, because there is no built-in coder for it. Safe on any
/// thread.
open class SDImageIOAnimatedCoder: SDAnimatedImageCoder, SDProgressiveImageCoder, @unchecked Sendable {
    // Unchecked is correct because the only stored property is a constant. A subclass must protect the properties that
    // it adds.
    typealias Native = SDAnimatedImageCoder & SDProgressiveImageCoder

    /// The coder that does the work; nil in a subclass for a format without a built-in coder.
    let own: (any Native)?

    /// The format of the coder.
    open class var imageFormat: SDImageFormat { .undefined }
    /// The type identifier of the format.
    open class var imageUTType: String { imageFormat.typeIdentifier }
    /// The type identifier of animations in the format.
    open class var animatedImageUTType: String { imageUTType }
    /// The name of the format's metadata in Apple's image library. This package does not use it.
    open class var dictionaryProperty: String { "" }
    /// The name of a frame's exact duration in Apple's image library. This package does not use it.
    open class var unclampedDelayTimeProperty: String { "UnclampedDelayTime" }
    /// The name of a frame's duration in Apple's image library. This package does not use it.
    open class var delayTimeProperty: String { "DelayTime" }
    /// The name of the loop count in Apple's image library. This package does not use it.
    open class var loopCountProperty: String { "LoopCount" }
    /// The loop count of a file that declares none. 0 means that the animation repeats endlessly.
    open class var defaultLoopCount: UInt { 0 }

    class var nativeType: (any Native.Type)? {
        switch imageFormat {
        case .GIF: ImageGIFCoder.self
        case .PNG: ImagePNGCoder.self
        case .webP: ImageWebPCoder.self
        default: nil
        }
    }

    private class var nativeCoder: (any Native)? {
        switch imageFormat {
        case .GIF: ImageGIFCoder.shared
        case .PNG: ImagePNGCoder.shared
        case .webP: ImageWebPCoder.shared
        default: nil
        }
    }

    /// Creates a coder for complete files.
    public init() { own = Self.nativeCoder }

    /// Creates a coder for one image whose bytes arrive in pieces.
    public required init(incrementalWithOptions options: SDImageCoderOptions?) {
        own = Self.nativeType?.init(incrementalWithOptions: options)
    }

    /// Creates a coder for the frames of one animation. Nil if the data cannot be read, or is a file of another format.
    public required init?(animatedImageData data: Data?, options: SDImageCoderOptions? = nil) {
        guard let own = Self.nativeType?.init(animatedImageData: data, options: options) else { return nil }
        self.own = own
    }

    init(adopting own: any Native) { self.own = own }

    /// Whether the first bytes are the signature of the format.
    open func canDecode(from data: Data?) -> Bool { own?.canDecode(from: data) ?? false }
    /// Decodes a file. Blocks during decoding. Nil if the data cannot be decoded.
    open func decodedImage(with data: Data?, options: SDImageCoderOptions?) -> UIImage? {
        own?.decodedImage(with: data, options: options)
    }
    /// Whether the coder can write a format.
    open func canEncode(to format: SDImageFormat) -> Bool { own?.canEncode(to: format) ?? false }
    /// Encodes an image. Blocks during encoding. Nil if the image cannot be encoded.
    open func encodedData(with image: UIImage?, format: SDImageFormat, options: SDImageCoderOptions?) -> Data? {
        own?.encodedData(with: image, format: format, options: options)
    }
    /// Encodes an animation. Blocks during encoding. Nil if the frames cannot be encoded.
    open func encodedData(
        with frames: [SDImageFrame], loopCount: UInt, format: SDImageFormat, options: SDImageCoderOptions?
    ) -> Data? {
        own?.encodedData(with: frames, loopCount: loopCount, format: format, options: options)
    }
    /// Whether the first bytes are the signature of a format whose partial images can be decoded.
    open func canIncrementalDecode(from data: Data?) -> Bool { own?.canIncrementalDecode(from: data) ?? false }
    /// Decodes the new bytes. `data` must contain all bytes received so far, including the bytes of earlier calls.
    open func updateIncrementalData(_ data: Data?, finished: Bool) {
        own?.updateIncrementalData(data, finished: finished)
    }
    /// Returns the partial image. Nil before the first row of pixels has arrived.
    open func incrementalDecodedImage(options: SDImageCoderOptions?) -> UIImage? {
        own?.incrementalDecodedImage(options: options)
    }
    /// The bytes of the animation.
    open var animatedImageData: Data? { own?.animatedImageData }
    /// The number of frames. During a download, the number of frames that have arrived.
    open var animatedImageFrameCount: UInt { own?.animatedImageFrameCount ?? 0 }
    /// The loop count. 0 means that the animation repeats endlessly.
    open var animatedImageLoopCount: UInt { own?.animatedImageLoopCount ?? 0 }
    /// Returns a frame, composited on the whole canvas of the animation.
    open func animatedImageFrame(at index: UInt) -> UIImage? { own?.animatedImageFrame(at: index) }
    /// The duration of a frame in seconds.
    open func animatedImageDuration(at index: UInt) -> TimeInterval { own?.animatedImageDuration(at: index) ?? 0 }

    /// The coder to register for this one. The built-in coder reports limits and errors in detail.
    var registered: any ImageCoder {
        let isPlain = [SDImageGIFCoder.self, SDImageAPNGCoder.self, SDImageAWebPCoder.self].contains {
            type(of: self) == $0
        }
        return isPlain ? own ?? self : self
    }

    /// The coder with SDWebImage's class for a built-in coder; other coders with SDWebImage's signatures.
    static func named(_ coder: any ImageCoder) -> any SDImageCoder {
        switch coder {
        case let coder as ImageGIFCoder:
            coder === ImageGIFCoder.shared ? SDImageGIFCoder.shared : SDImageGIFCoder(adopting: coder)
        case let coder as ImagePNGCoder:
            coder === ImagePNGCoder.shared ? SDImageAPNGCoder.shared : SDImageAPNGCoder(adopting: coder)
        case let coder as ImageWebPCoder:
            coder === ImageWebPCoder.shared ? SDImageAWebPCoder.shared : SDImageAWebPCoder(adopting: coder)
        default: AdoptedCoder.adopting(coder)
        }
    }
}

/// Reads and writes GIF. SDWebImage's name for ``WebImageCodecs/ImageGIFCoder``.
open class SDImageGIFCoder: SDImageIOAnimatedCoder, @unchecked Sendable {
    // Unchecked is correct as for the base class.
    /// The shared coder for complete files.
    open class var shared: SDImageGIFCoder { sharedCoder }
    private static let sharedCoder = SDImageGIFCoder()
    /// GIF.
    open override class var imageFormat: SDImageFormat { .GIF }
    /// The name of the format's metadata in Apple's image library. This package does not use it.
    open override class var dictionaryProperty: String { "{GIF}" }
    /// A GIF file without a loop count plays once.
    open override class var defaultLoopCount: UInt { 1 }
}

/// Reads and writes still and animated PNG. SDWebImage's name for ``WebImageCodecs/ImagePNGCoder``.
open class SDImageAPNGCoder: SDImageIOAnimatedCoder, @unchecked Sendable {
    // Unchecked is correct as for the base class.
    /// The shared coder for complete files.
    open class var shared: SDImageAPNGCoder { sharedCoder }
    private static let sharedCoder = SDImageAPNGCoder()
    /// PNG.
    open override class var imageFormat: SDImageFormat { .PNG }
    /// The name of the format's metadata in Apple's image library. This package does not use it.
    open override class var dictionaryProperty: String { "{PNG}" }
}

/// Reads and writes still and animated WebP. SDWebImage's name for ``WebImageCodecs/ImageWebPCoder``.
open class SDImageAWebPCoder: SDImageIOAnimatedCoder, @unchecked Sendable {
    // Unchecked is correct as for the base class.
    /// The shared coder for complete files.
    open class var shared: SDImageAWebPCoder { sharedCoder }
    private static let sharedCoder = SDImageAWebPCoder()
    /// WebP.
    open override class var imageFormat: SDImageFormat { .webP }
    /// The name of the format's metadata in Apple's image library. This package does not use it.
    open override class var dictionaryProperty: String { "{WebP}" }
}

/// Reads and writes still and animated WebP. The same class as ``SDImageAWebPCoder``, under the name of SDWebImage's
/// plug-in.
public typealias SDImageWebPCoder = SDImageAWebPCoder
