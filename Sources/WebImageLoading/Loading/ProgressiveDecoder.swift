package import Foundation
package import WebImageCore

/// Finds the pixel size and decodes the partial images of a body that is still being downloaded. Only one thread at a
/// time may use a decoder.
struct ProgressiveDecoder: Sendable {
    /// The maximum number of bytes to search for the pixel size (1 MiB). If these bytes do not contain the size, the
    /// size is known only after the image has been decoded.
    private static let longestHeader = 1 << 20
    /// The number of bytes (4 KiB) up to which every piece is searched for the pixel size.
    private static let shortHeader = 4096
    /// The maximum number of bytes to collect for coders that need the whole body (8 MiB). Collected bytes stay in
    /// memory, even if the loader moves the body to a file. Therefore a longer body is not collected. Only streaming
    /// coders can decode partial images of a longer body.
    static let maxCollectedBytes = 8 << 20

    private let decoding: ImageDecoding
    private let makesPartialImages: Bool
    private let findsSize: Bool
    private var coder: (any ProgressiveImageCoder)? { didSet { streaming = coder?.streaming } }
    /// The coder if it takes the body in pieces.
    private var streaming: (any StreamingImageCoder)?
    private var animation: ArrivingAnimation?
    private var size: PixelSize?
    private var nextProbe = 1
    private var revision = 0
    private var hasFailed = false
    /// All bytes that have arrived. Empty as soon as neither a coder nor the search for the pixel size needs them, or
    /// if the body exceeds `maxCollectedBytes`.
    private(set) var whole = Data()
    private var count = 0
    private var isWholeKept = true

    /// - Parameters:
    ///   - makesPartialImages: whether `append` returns partial images.
    ///   - findsSize: whether `append` returns the pixel size.
    init(_ decoding: ImageDecoding, makesPartialImages: Bool, findsSize: Bool) {
        self.decoding = decoding
        self.makesPartialImages = makesPartialImages
        self.findsSize = findsSize
    }

    /// Appends the next pieces of the body. Only one call returns the pixel size: the call that finds the size. A call
    /// returns a partial image if there is a new one.
    mutating func append(_ pieces: [Data]) -> (size: PixelSize?, preview: Image?) {
        for piece in pieces {
            if isWholeKept { whole.append(piece) }
            count += piece.count
        }
        defer { releaseCollectedBytes() }
        let preview = makesPartialImages ? previewAsOwner(pieces) : nil
        guard findsSize, size == nil, let found = foundSize() else { return (nil, preview) }
        size = found
        return (found, preview)
    }

    /// Whether the body can be an animation. If the load accepts animations, the value is true until the coder has read
    /// the header.
    private var mayAnimate: Bool {
        guard decoding.previewClass != nil else { return false }
        guard let info = streaming?.incrementalInfo else { return true }
        return info.loopCount != nil || info.format == .gif || info.format == .apng
    }

    /// Releases the collected bytes when they are no longer needed or exceed the limit.
    private mutating func releaseCollectedBytes() {
        guard isWholeKept else { return }
        let isSizeKnown = !findsSize || size != nil || count > Self.longestHeader
        let isPiecewise = streaming != nil && !mayAnimate
        let isNeeded = !isSizeKnown || makesPartialImages && !hasFailed && !isPiecewise
        if isNeeded, count <= Self.maxCollectedBytes { return }
        (whole, isWholeKept) = (Data(), false)
    }

    private mutating func foundSize() -> PixelSize? {
        if let info = streaming?.incrementalInfo {
            return decoding.options.targetSize(for: info.pixelSize, frameCount: info.frameCount)
        }
        // A search reads the body from its beginning. In a longer body, search again only after a quarter more bytes have
        // arrived. The total duration of all searches is then proportional to the number of received bytes.
        guard isWholeKept, count >= nextProbe, count <= Self.longestHeader else { return nil }
        nextProbe = count + (count < Self.shortHeader ? 1 : count / 4)
        return decoding.size(of: whole)
    }

    private mutating func previewAsOwner(_ pieces: [Data]) -> Image? {
        try? decoding.owner.run { () throws(WebImageError) in preview(pieces) }
    }

    private mutating func preview(_ pieces: [Data]) -> Image? {
        guard !hasFailed else { return nil }
        let still = stillPreview(pieces)
        return animatedPreview() ?? (animation?.animatedImageFrameCount ?? 0 > 1 ? nil : still)
    }

    /// Returns an image with all frames that have arrived completely. Returns nil if there is no new frame since the
    /// last partial image. One coder decodes the frames of all partial images.
    private mutating func animatedPreview() -> Image? {
        guard isWholeKept, mayAnimate, let animatedClass = decoding.previewClass else { return nil }
        if animation == nil {
            animation = decoding.animatedCoder(for: whole).map { coder in
                ArrivingAnimation(coder: coder, options: decoding.options)
            }
        }
        guard let animation, animation.update(whole),
            let image = animatedClass.init(
                animatedCoder: animation, scale: CGFloat(NumberLimits.scale(decoding.options.scaleFactor)))
        else { return nil }
        image.isIncremental = true
        image.decodingOptions = decoding.options
        return image
    }

    private mutating func stillPreview(_ pieces: [Data]) -> Image? {
        let isNew = coder == nil
        if isNew, isWholeKept { coder = makeCoder(whole) }
        guard let coder else { return nil }
        do throws(WebImageError) {
            if let streaming {
                for piece in isNew ? [whole] : pieces { try streaming.append(piece, finished: false) }
            } else {
                guard isWholeKept else { return nil }
                try coder.update(whole, finished: false)
            }
        } catch {
            // Do not report the error here, because the decode of the complete body reports it.
            hasFailed = true
            return nil
        }
        if let streaming {
            guard streaming.incrementalRevision > revision else { return nil }
            revision = streaming.incrementalRevision
        }
        guard let image = coder.incrementalImage(options: decoding.options) else { return nil }
        image.isIncremental = true
        image.decodingOptions = decoding.options
        return image
    }

    private func makeCoder(_ body: Data) -> (any ProgressiveImageCoder)? {
        guard let coder = decoding.progressiveCoder(for: body) else { return nil }
        return type(of: coder).init(incremental: decoding.options)
    }
}

/// Decodes partial images of one body on the decode pool, while the body is being downloaded.
///
/// If several pieces arrive during one decode, the next decode processes all of these pieces together.
package final class PartialImageDecoder: Sendable {
    private struct State {
        var waiting: [Data] = []
        var isWorking = false
        var isOver = false
    }

    private let state = Locked(State())
    private let steps: Locked<ProgressiveDecoder?>
    private let deliver: @Sendable (Image) -> Void

    /// - Parameter deliver: receives the partial images in order, on a thread of the decode pool.
    init(_ decoding: ImageDecoding, deliver: @escaping @Sendable (Image) -> Void) {
        steps = Locked(ProgressiveDecoder(decoding, makesPartialImages: true, findsSize: false))
        self.deliver = deliver
    }

    /// Appends the next bytes of the body.
    package func append(_ bytes: Data, on pool: DecodePool) {
        let isFirst = state.withLock { state in
            guard !state.isOver else { return false }
            state.waiting.append(bytes)
            defer { state.isWorking = true }
            return !state.isWorking
        }
        if isFirst { pool.submit { self.step(on: pool) } }
    }

    /// Stops the delivery of partial images. If a delivery is running, it still completes.
    package func stop() { state.withLock { $0.isOver = true } }

    /// Decodes the waiting bytes, then submits the next step to the pool. Other work of the pool can run between two
    /// steps. Therefore a long download does not occupy a thread of the pool.
    private func step(on pool: DecodePool) {
        let pieces = state.withLock { state in
            defer { state.waiting = [] }
            state.isWorking = !state.isOver && !state.waiting.isEmpty
            return state.isWorking ? state.waiting : []
        }
        // Only one thread at a time runs this code. Remove the decoder from the locked state during the decode. If the
        // state still had a second copy of the decoder, `append` would copy the decoder's buffer.
        guard !pieces.isEmpty, var steps = steps.withLock({ $0.take() }) else { return }
        let image = steps.append(pieces).preview
        self.steps.withLock { $0 = steps }
        if let image, !state.withLock({ $0.isOver }) { deliver(image) }
        pool.submit { self.step(on: pool) }
    }
}
