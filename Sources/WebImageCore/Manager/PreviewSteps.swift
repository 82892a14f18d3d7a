import Foundation

/// How far the showing of an arriving picture is: used by one thread at a time.
struct PreviewSteps: Sendable {
    /// Headers longer than this are not waited for; the size then comes with the picture.
    private static let longestHeader = 1 << 20

    private let decoding: ImageDecoding
    private let showsPreviews: Bool
    private var coder: (any ProgressiveImageCoder)?
    private var animation: ArrivingAnimation?
    private var size: PixelSize?
    private var nextProbe = 1
    private var revision = 0
    private var hasFailed = false

    init(_ plan: LoadPlan) {
        decoding = plan.decoding
        showsPreviews = plan.options.contains(.progressiveLoad)
    }

    /// What is new now that the body has grown beyond `start`.
    mutating func news(of body: Data, from start: Int) -> [LoadNews] {
        var news: [LoadNews] = []
        let preview = showsPreviews ? preview(of: body, from: start) : nil
        if size == nil, let found = foundSize(body) {
            size = found
            news.append(.size(found))
        }
        if let preview { news.append(.partial(preview)) }
        return news
    }

    private mutating func foundSize(_ body: Data) -> PixelSize? {
        if let info = (coder as? any StreamingImageCoder)?.incrementalInfo {
            return decoding.options.targetSize(for: info.pixelSize, frameCount: info.frameCount)
        }
        // Looked for at every doubling, so that the looking stays proportional to what arrived.
        guard body.count >= nextProbe, body.count <= Self.longestHeader else { return nil }
        nextProbe = body.count * 2
        return decoding.size(of: body)
    }

    private mutating func preview(of body: Data, from start: Int) -> Image? {
        guard !hasFailed else { return nil }
        let still = stillPreview(of: body, from: start)
        return animatedPreview(of: body) ?? (animation?.animatedImageFrameCount ?? 0 > 1 ? nil : still)
    }

    /// The frames that are there, whenever they have become more; one coder gives them to all previews.
    private mutating func animatedPreview(of body: Data) -> Image? {
        guard let animatedClass = decoding.animatedClass else { return nil }
        if animation == nil {
            animation = decoding.animatedCoder(for: body).map { coder in
                ArrivingAnimation(coder: coder, options: decoding.options)
            }
        }
        guard let animation, animation.update(body),
            let image = animatedClass.init(
                animatedCoder: animation, scale: CGFloat(Number.scale(decoding.options.scaleFactor)))
        else { return nil }
        image.isIncremental = true
        image.decodingOptions = decoding.options
        return image
    }

    private mutating func stillPreview(of body: Data, from start: Int) -> Image? {
        let isNew = coder == nil
        if isNew { coder = makeCoder(body) }
        guard let coder else { return nil }
        if let streaming = coder as? any StreamingImageCoder {
            do throws(WebImageError) {
                try streaming.append(isNew ? body : Data(body.dropFirst(start)), finished: false)
            } catch {
                // The whole picture will say what is wrong with it.
                hasFailed = true
                return nil
            }
            guard streaming.incrementalRevision > revision else { return nil }
            revision = streaming.incrementalRevision
        } else {
            coder.updateIncrementalData(body, finished: false)
        }
        guard let image = coder.incrementalDecodedImage(with: decoding.options.dictionary) else { return nil }
        image.isIncremental = true
        image.decodingOptions = decoding.options
        return image
    }

    private func makeCoder(_ body: Data) -> (any ProgressiveImageCoder)? {
        let named = decoding.coder as? any ProgressiveImageCoder
        let found = (decoding.coder as? ImageCodersManager)?.coders.last {
            ($0 as? any ProgressiveImageCoder)?.canIncrementalDecode(from: body) ?? false
        }
        guard let coder = named ?? (found as? any ProgressiveImageCoder) else { return nil }
        return type(of: coder).init(incrementalWithOptions: decoding.options.dictionary)
    }
}
