import Foundation
import SDWebImage
import WebImageTesting

// Classes that implement SDWebImage's protocols with the method signatures of Apple's Objective-C importer. Each
// method records its call.

/// Records the names of called methods, from any thread.
final class Seen: @unchecked Sendable {
    // Unchecked is safe because the names are used only under the lock.
    static let all = Seen()
    private let lock = NSLock()
    private var names: Set<String> = []

    func add(_ name: String) { lock.withLock { _ = names.insert(name) } }
    func has(_ name: String) -> Bool { lock.withLock { names.contains(name) } }
}

private func note(_ name: String) { Seen.all.add(name) }

final class ImportedManagerDelegate: NSObject, SDWebImageManagerDelegate, @unchecked Sendable {
    func imageManager(_ imageManager: SDWebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool {
        note("delegate.shouldDownload")
        return true
    }
    func imageManager(
        _ imageManager: SDWebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
    ) -> Bool {
        note("delegate.shouldBlock")
        return false
    }
}

final class ImportedPrefetcherDelegate: NSObject, SDWebImagePrefetcherDelegate, @unchecked Sendable {
    func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didPrefetchURL imageURL: URL?, finishedCount: UInt, totalCount: UInt
    ) {
        note("prefetcher.didPrefetch \(finishedCount) of \(totalCount)")
    }
    func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didFinishWithTotalCount totalCount: UInt, skippedCount: UInt
    ) {
        note("prefetcher.didFinish \(totalCount) \(skippedCount)")
    }
}

/// A delegate whose methods receive counts as `Int`, as in this package's protocol. In SDWebImage's protocol, the
/// counts are `UInt`. The prefetcher must also call the methods with `Int`.
final class SignedPrefetcherDelegate: SDWebImagePrefetcherDelegate {
    func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didPrefetch imageURL: URL?, finishedCount: Int, totalCount: Int
    ) {
        note("signed.didPrefetch \(finishedCount) of \(totalCount)")
    }
    func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didFinishWithTotalCount totalCount: Int, skippedCount: Int
    ) {
        note("signed.didFinish \(totalCount) \(skippedCount)")
    }
}

/// A delegate with the label that earlier versions of this package required.
final class LabelledPrefetcherDelegate: SDWebImagePrefetcherDelegate {
    func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didPrefetch imageURL: URL?, finishedCount: UInt, totalCount: UInt
    ) {
        note("labelled.didPrefetch \(finishedCount) of \(totalCount)")
    }
    func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didFinishWithTotalCount totalCount: UInt, skippedCount: UInt
    ) {
        note("labelled.didFinish \(totalCount) \(skippedCount)")
    }
}

/// A loader that accepts "simple:" URLs and implements only the required methods.
class ImportedLoader: NSObject, SDImageLoader, @unchecked Sendable {
    var scheme: String { "simple" }

    func canRequestImage(for url: URL?) -> Bool {
        note("loader.canRequest")
        return url?.scheme == scheme
    }
    func requestImage(
        with url: URL?, options: SDWebImageOptions = [], context: [SDWebImageContextOption: Any]?,
        progress progressBlock: SDImageLoaderProgressBlock?,
        completed completedBlock: SDImageLoaderCompletedBlock? = nil
    ) -> (any SDWebImageOperation)? {
        note("loader.request")
        if url?.host == "stays" {
            note("loader.request that stays")
            return ImportedOperation()
        }
        completedBlock?(nil, nil, NSError(domain: "mine", code: 7), true)
        return nil
    }
    func shouldBlockFailedURL(with url: URL, error: any Error) -> Bool {
        note("loader.shouldBlock")
        return false
    }
}

/// A loader whose required methods refuse every URL. Its optional methods, which have a context parameter, accept
/// "full:" URLs.
final class ImportedFullLoader: NSObject, SDImageLoader, @unchecked Sendable {
    func canRequestImage(for url: URL?) -> Bool { false }
    func canRequestImage(
        for url: URL?, options: SDWebImageOptions = [], context: [SDWebImageContextOption: Any]?
    ) -> Bool {
        note("loader.canRequest with context")
        return url?.scheme == "full" && options.contains(.highPriority)
    }
    func requestImage(
        with url: URL?, options: SDWebImageOptions = [], context: [SDWebImageContextOption: Any]?,
        progress progressBlock: SDImageLoaderProgressBlock?,
        completed completedBlock: SDImageLoaderCompletedBlock? = nil
    ) -> (any SDWebImageOperation)? {
        completedBlock?(nil, nil, NSError(domain: "mine", code: 7), true)
        return nil
    }
    func shouldBlockFailedURL(with url: URL, error: any Error) -> Bool { false }
    func shouldBlockFailedURL(
        with url: URL, error: any Error, options: SDWebImageOptions = [], context: [SDWebImageContextOption: Any]?
    ) -> Bool {
        note("loader.shouldBlock with context")
        return options.contains(.highPriority)
    }
}

/// An operation that does not implement `isCancelled`, which is optional in SDWebImage's protocol.
final class ImportedOperation: NSObject, SDWebImageOperation, @unchecked Sendable {
    func cancel() { note("operation.cancel") }
}

/// An operation with the optional property.
final class ImportedFullOperation: NSObject, SDWebImageOperation, @unchecked Sendable {
    func cancel() {}
    var isCancelled: Bool {
        note("operation.isCancelled")
        return true
    }
}

final class ImportedCoder: NSObject, SDImageCoder, @unchecked Sendable {
    static let file = Data("imported".utf8)

    func canDecode(from data: Data?) -> Bool {
        note("coder.canDecode")
        return data == Self.file
    }
    func decodedImage(with data: Data?, options: [SDImageCoderOption: Any]? = nil) -> UIImage? {
        note("coder.decode")
        if options?[.decodeScaleFactor] as? CGFloat == 2 { note("coder.scale as CGFloat") }
        return try? TestImages.solid(width: 2, height: 2)
    }
    func canEncode(to format: SDImageFormat) -> Bool {
        note("coder.canEncode")
        return format.rawValue == 77
    }
    func encodedData(with image: UIImage?, format: SDImageFormat, options: [SDImageCoderOption: Any]? = nil) -> Data? {
        note("coder.encode")
        return Self.file
    }
    func encodedData(
        with frames: [SDImageFrame], loopCount: UInt, format: SDImageFormat, options: [SDImageCoderOption: Any]? = nil
    ) -> Data? {
        note("coder.encodeFrames \(frames.count) \(loopCount)")
        return Self.file
    }
}

/// A progressive and animated coder. Its animation has two frames.
final class ImportedAnimatedCoder: NSObject, SDProgressiveImageCoder, SDAnimatedImageCoder, @unchecked Sendable {
    static let file = Data("imported animation".utf8)

    override init() {}
    required init(incrementalWithOptions options: [SDImageCoderOption: Any]? = nil) {
        note("progressive.init")
    }
    required init?(animatedImageData data: Data?, options: [SDImageCoderOption: Any]? = nil) {
        note("animated.init")
    }

    func canDecode(from data: Data?) -> Bool { data == Self.file }
    func decodedImage(with data: Data?, options: [SDImageCoderOption: Any]? = nil) -> UIImage? { frame }
    func canEncode(to format: SDImageFormat) -> Bool { false }
    func encodedData(with image: UIImage?, format: SDImageFormat, options: [SDImageCoderOption: Any]? = nil) -> Data? {
        nil
    }

    func canIncrementalDecode(from data: Data?) -> Bool {
        note("progressive.canDecode")
        return data == Self.file
    }
    func updateIncrementalData(_ data: Data?, finished: Bool) { note("progressive.update") }
    func incrementalDecodedImage(options: [SDImageCoderOption: Any]? = nil) -> UIImage? {
        note("progressive.image")
        return frame
    }

    private var frame: UIImage? { try? TestImages.solid(width: 2, height: 2) }
    var animatedImageData: Data? {
        note("animated.data")
        return Self.file
    }
    var animatedImageFrameCount: UInt {
        note("animated.frameCount")
        return 2
    }
    var animatedImageLoopCount: UInt {
        note("animated.loopCount")
        return 3
    }
    func animatedImageFrame(at index: UInt) -> UIImage? {
        note("animated.frame \(index)")
        return frame
    }
    func animatedImageDuration(at index: UInt) -> TimeInterval {
        note("animated.duration")
        return 0.05
    }
}

/// Supplies the frames of an animation. It is neither a coder nor an image.
final class ImportedProvider: NSObject, SDAnimatedImageProvider, @unchecked Sendable {
    var animatedImageData: Data? {
        note("provider.data")
        return nil
    }
    var animatedImageFrameCount: UInt {
        note("provider.frameCount")
        return 2
    }
    var animatedImageLoopCount: UInt {
        note("provider.loopCount")
        return 5
    }
    func animatedImageFrame(at index: UInt) -> UIImage? {
        note("provider.frame \(index)")
        return try? TestImages.solid(width: 2, height: 2)
    }
    func animatedImageDuration(at index: UInt) -> TimeInterval {
        note("provider.duration")
        return 0.05
    }
}

/// An animated image class as an app may write it. It accepts the data of any image file.
final class ImportedAnimatedImage: UIImage, SDAnimatedImageProtocol, @unchecked Sendable {
    required convenience init?(data: Data, scale: CGFloat, options: [SDImageCoderOption: Any]? = nil) {
        guard let image = UIImage(data: data, scale: scale) else { return nil }
        note("image.init")
        self.init(pixels: image.pixels, scale: scale)
    }
    required convenience init?(animatedCoder: any SDAnimatedImageCoder, scale: CGFloat) {
        note("image.init with coder")
        guard let image = animatedCoder.animatedImageFrame(at: 0) else { return nil }
        self.init(pixels: image.pixels, scale: scale)
    }

    func preloadAllFrames() { note("image.preload") }
    func unloadAllFrames() { note("image.unload") }
    var isAllFramesLoaded: Bool {
        note("image.isAllFramesLoaded")
        return true
    }
    var animatedCoder: (any SDAnimatedImageCoder)? {
        note("image.coder")
        return nil
    }
    var animatedImageData: Data? { nil }
    var animatedImageFrameCount: UInt {
        note("image.frameCount")
        return 2
    }
    var animatedImageLoopCount: UInt {
        note("image.loopCount")
        return 3
    }
    func animatedImageFrame(at index: UInt) -> UIImage? {
        note("image.frame \(index)")
        return self
    }
    func animatedImageDuration(at index: UInt) -> TimeInterval {
        note("image.duration")
        return 0.05
    }
}

final class ImportedTransformer: NSObject, SDImageTransformer {
    var preserveImageMetadata: Bool {
        note("transformer.preserves")
        return true
    }
    var transformerKey: String {
        note("transformer.key")
        return "Imported"
    }
    func transformedImage(with image: UIImage, forKey key: String) -> UIImage? {
        note("transformer.transform")
        return image
    }
}

final class ImportedBaseTransformer: SDImageBaseTransformer, @unchecked Sendable {
    override var transformerKey: String { "ImportedBase" }
    override func transformedImage(with image: UIImage, forKey key: String) -> UIImage? {
        note("base.transform")
        return image.sd_flippedImage(withHorizontal: true, vertical: false)
    }
}

final class ImportedRules: NSObject, SDWebImageCacheKeyFilterProtocol, SDWebImageCacheSerializerProtocol,
    SDWebImageOptionsProcessorProtocol, @unchecked Sendable
{
    func cacheKey(for url: URL) -> String? {
        note("filter.key")
        return url.absoluteString
    }
    func cacheData(with image: UIImage, originalData data: Data?, imageURL: URL?) -> Data? {
        note("serializer.data")
        return data
    }
    func processedResult(
        for url: URL?, options: SDWebImageOptions = [], context: [SDWebImageContextOption: Any]?
    ) -> SDWebImageOptionsResult? {
        note("processor.result")
        return SDWebImageOptionsResult(options: options, context: context)
    }
}
