public import Foundation
public import WebImage

/// Supplies the frames of an animation by index. Has SDWebImage's signatures, in which counts are `UInt`.
///
/// All members can be called on any thread. A frame is decoded when it is requested.
@preconcurrency public protocol SDAnimatedImageProvider: AnimatedImageProvider {
    /// The number of frames. During a download, the number of frames that have arrived.
    var animatedImageFrameCount: UInt { get }
    /// The loop count. 0 means that the animation repeats endlessly.
    var animatedImageLoopCount: UInt { get }
    /// Returns a frame. Nil if the index is out of range or the frame cannot be decoded.
    func animatedImageFrame(at index: UInt) -> UIImage?
    /// Returns the duration of a frame in seconds. 0 if `index` is out of range.
    func animatedImageDuration(at index: UInt) -> TimeInterval
}

extension SDAnimatedImageProvider {
    /// The frame count as `Int`. ``WebImageCore/AnimatedImageProvider`` requires this type.
    @_disfavoredOverload public var animatedImageFrameCount: Int {
        let count: UInt = animatedImageFrameCount
        return Int(clamping: count)
    }
    /// The loop count as `Int`. ``WebImageCore/AnimatedImageProvider`` requires this type.
    @_disfavoredOverload public var animatedImageLoopCount: Int {
        let count: UInt = animatedImageLoopCount
        return Int(clamping: count)
    }
    /// Returns the frame for an `Int` index. ``WebImageCore/AnimatedImageProvider`` requires this overload.
    @_disfavoredOverload public func animatedImageFrame(at index: Int) -> Image? {
        index < 0 ? nil : animatedImageFrame(at: UInt(index))
    }
    /// Returns the duration in seconds for an `Int` index. ``WebImageCore/AnimatedImageProvider`` requires this
    /// overload.
    @_disfavoredOverload public func animatedImageDuration(at index: Int) -> TimeInterval {
        index < 0 ? 0 : animatedImageDuration(at: UInt(index))
    }
}

/// Decodes the frames of one animation, with SDWebImage's signatures. Each animation has its own coder instance.
@preconcurrency public protocol SDAnimatedImageCoder: SDAnimatedImageProvider, SDImageCoder, AnimatedImageCoder {
    /// Opens an animation. Nil if the data cannot be read.
    init?(animatedImageData data: Data?, options: SDImageCoderOptions?)
}

// What the library calls. Disfavored as in the extension of `SDImageCoder`.
extension SDAnimatedImageCoder {
    /// The coder itself.
    public var animated: (any AnimatedImageCoder)? { self }

    /// Calls `init(animatedImageData:options:)`.
    @_disfavoredOverload public init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        guard let opened = Self(animatedImageData: data, options: options.dictionary) else {
            throw .badData("\(Self.self)", "returned no animation")
        }
        self = opened
    }

    /// Calls `animatedImageFrame(at:)` of SDWebImage.
    @_disfavoredOverload public func animatedImageFrame(at index: Int) -> Image? {
        index < 0 ? nil : animatedImageFrame(at: UInt(index))
    }

    /// Calls `animatedImageFrame(at:)` of SDWebImage.
    @_disfavoredOverload public func frame(at index: Int) throws(WebImageError) -> Image {
        if index >= 0, let image = animatedImageFrame(at: UInt(index)) { return image }
        throw .badData("\(Self.self)", "returned no frame \(index)")
    }
}

/// An image that supplies its frames one by one, with SDWebImage's signatures. A conforming class is a subclass of
/// `UIImage`.
///
/// Instances are created on background threads. Set the class as `.animatedImageClass` in the context of a load.
@preconcurrency public protocol SDAnimatedImageProtocol: SDAnimatedImageProvider, AnimatedImageProtocol {
    /// Creates an image with a coder's frames. The default implementation decodes the coder's `animatedImageData` anew.
    init?(animatedCoder: any SDAnimatedImageCoder, scale: CGFloat)
    /// The coder that decodes the frames. Default: nil.
    var animatedCoder: (any SDAnimatedImageCoder)? { get }
}

extension SDAnimatedImageProtocol {
    /// The frame count as `Int`. ``WebImageCore/AnimatedImageProvider`` requires this type.
    @_disfavoredOverload public var animatedImageFrameCount: Int {
        let count: UInt = animatedImageFrameCount
        return Int(clamping: count)
    }
    /// The loop count as `Int`. ``WebImageCore/AnimatedImageProvider`` requires this type.
    @_disfavoredOverload public var animatedImageLoopCount: Int {
        let count: UInt = animatedImageLoopCount
        return Int(clamping: count)
    }
    /// Returns the frame for an `Int` index. ``WebImageCore/AnimatedImageProvider`` requires this overload.
    @_disfavoredOverload public func animatedImageFrame(at index: Int) -> Image? {
        index < 0 ? nil : animatedImageFrame(at: UInt(index))
    }
    /// Returns the duration in seconds for an `Int` index. ``WebImageCore/AnimatedImageProvider`` requires this
    /// overload.
    @_disfavoredOverload public func animatedImageDuration(at index: Int) -> TimeInterval {
        index < 0 ? 0 : animatedImageDuration(at: UInt(index))
    }
    /// The default implementation. Does nothing.
    public func preloadAllFrames() {}
    /// The coder as `AnimatedImageCoder`. ``WebImageCore/AnimatedImageProtocol`` requires this type.
    @_disfavoredOverload public var animatedCoder: (any AnimatedImageCoder)? {
        let coder: (any SDAnimatedImageCoder)? = animatedCoder
        return coder
    }
    /// The default implementation. Creates the image from the coder's `animatedImageData`. Returns nil if
    /// `animatedImageData` is nil.
    @_disfavoredOverload public init?(animatedCoder: any SDAnimatedImageCoder, scale: CGFloat) {
        guard let data = animatedCoder.animatedImageData else { return nil }
        self.init(data: data, scale: scale, options: nil)
    }
    /// Creates the image from a coder. ``WebImageCore/AnimatedImageProtocol`` requires this overload.
    @_disfavoredOverload public init?(animatedCoder: any AnimatedImageCoder, scale: CGFloat) {
        if let coder = animatedCoder as? any SDAnimatedImageCoder {
            self.init(animatedCoder: coder, scale: scale)
        } else {
            guard let data = animatedCoder.animatedImageData else { return nil }
            self.init(data: data, scale: scale, options: nil)
        }
    }
}

// This default is in a separate extension, because one extension cannot have two defaults of `animatedCoder` with
// different types.
extension SDAnimatedImageProvider where Self: SDAnimatedImageProtocol {
    /// The default implementation. Always nil.
    @_disfavoredOverload public var animatedCoder: (any SDAnimatedImageCoder)? { nil }
}

/// Decodes partial images, with SDWebImage's signatures.
@preconcurrency public protocol SDProgressiveImageCoder: SDImageCoder, ProgressiveImageCoder {
    /// Whether this coder can make partial images of a file that begins with this data.
    func canIncrementalDecode(from data: Data?) -> Bool
    /// Creates a coder for one image whose bytes arrive in pieces.
    init(incrementalWithOptions options: SDImageCoderOptions?)
    /// Decodes the new bytes. `data` contains all bytes received so far, including the bytes of earlier calls.
    func updateIncrementalData(_ data: Data?, finished: Bool)
    /// Returns the partial image. Nil before the first row of pixels has arrived.
    func incrementalDecodedImage(options: SDImageCoderOptions?) -> UIImage?
}

extension SDProgressiveImageCoder {
    /// The coder itself.
    public var progressive: (any ProgressiveImageCoder)? { self }

    // What the library calls. The methods are disfavored, so that a call of a coder of this package finds the coder's own
    // method.

    /// Asks `canIncrementalDecode(from:)` of SDWebImage.
    @_disfavoredOverload public func canIncrementalDecode(from start: Data) -> Bool {
        canIncrementalDecode(from: Optional(start))
    }

    /// Calls `init(incrementalWithOptions:)`.
    @_disfavoredOverload public init(incremental options: DecodingOptions) {
        self.init(incrementalWithOptions: options.dictionary)
    }

    /// Calls `updateIncrementalData(_:finished:)`.
    @_disfavoredOverload public func update(_ data: Data, finished: Bool) throws(WebImageError) {
        updateIncrementalData(data, finished: finished)
    }

    /// Calls `incrementalDecodedImage(options:)`.
    @_disfavoredOverload public func incrementalImage(options: DecodingOptions?) -> Image? {
        incrementalDecodedImage(options: options?.dictionary)
    }
}
