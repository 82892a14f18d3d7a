import Foundation
import WebImageCore

/// The work of making one result: it decodes, transforms and encodes, and measures these stages.
///
/// ``ResultRenderer`` decides what the result is. Blocks; runs on the decode pool.
struct RenderJob {
    let resultRenderer: ResultRenderer
    let settings: OutputSettings
    let source: Data
    let info: ImageInfo
    let sharing: ResultRenderer.Sharing?
    let budget: WorkBudget
    /// The decoded page of which the result is made, at full size; nil for the first page.
    private let page: Image?
    /// The size of the source to which the options refer. After ``decodeWhole()``, it excludes the border that `trim`
    /// removes.
    private(set) var sourceSize: PixelSize
    /// The position of the part with ``sourceSize`` in the source.
    private(set) var sourceOrigin = PixelPlace(x: 0, y: 0)
    private var whole: Image?
    private var stages: [ServiceLogEntry.Stage: Duration] = [:]
    private var options: ProcessingOptions { resultRenderer.options }

    init(
        resultRenderer: ResultRenderer, settings: OutputSettings, source: Data, info: ImageInfo,
        sharing: ResultRenderer.Sharing?, page: Image?, budget: WorkBudget
    ) {
        self.budget = budget
        self.page = page
        self.sharing = sharing
        self.resultRenderer = resultRenderer
        self.settings = settings
        self.source = source
        self.info = info
        sourceSize = resultRenderer.orientedSize(info)
    }

    private mutating func measured<Value>(
        _ stage: ServiceLogEntry.Stage, _ work: (inout Self) throws -> Value
    ) throws -> Value {
        try budget.check()
        let start = ContinuousClock.now
        defer { stages[stage, default: .zero] += ContinuousClock.now - start }
        return try work(&self)
    }

    /// If the options have `trim`, decodes the picture at full size and removes its border. Otherwise does nothing, except that
    /// the result is then made from a page that is already decoded.
    mutating func decodeWhole() throws {
        guard let trim = options.trim else {
            // A vector is drawn again, at the size of the result.
            if !info.format.isVector { whole = page }
            return
        }
        let image = try page ?? shared(nil).image
        whole = try measured(.transform) { job in
            guard let part = try BorderTrim.part(of: image, trim) else { return image }
            job.sourceOrigin = part.place
            return try PixelCanvas.cropped(image, to: part.size, at: part.place)
        }
        sourceSize = whole?.pixelSize ?? sourceSize
    }

    /// - Parameter formats: The formats of which the smallest result counts. The first one is encoded in any case.
    mutating func finish(_ geometry: ResultGeometry, _ formats: [OutputFormat]) throws -> EncodedResult {
        let format = formats[0]
        // Without a configured watermark, the option has no effect, as in imgproxy.
        let mark = options.watermark == nil ? nil : try resultRenderer.watermark?.drawing()
        var renderer = FrameRenderer(
            geometry: geometry, options: options, watermark: mark, keepsAlpha: format.hasAlpha,
            budget: budget)
        let isAnimated = resultRenderer.frameCount(info, settings, in: format) > 1
        if isAnimated, let animated = try animation(geometry, with: renderer, as: formats) { return animated }
        let (frame, isCut) = try whole.map { ($0, false) } ?? shared(geometry)
        let rendered = try measured(.transform) { _ in try renderer.rendered(frame, isCut: isCut) }
        var result: EncodedResult?
        for format in formats {
            let turn = resultRenderer.lastTurn(info, format)
            let image = try measured(.transform) { _ in try PixelCanvas.oriented(rendered, turn) }
            let data = try measured(.encode) { try $0.encoded(image, format) }
            if let least = result?.data.count, least <= data.count { continue }
            result = EncodedResult(data: data, format: format, size: image.pixelSize)
        }
        guard var result else { throw WebImageError.cannotEncode("result", "no format is possible") }
        result.stages = stages
        return result
    }

    // MARK: Decoding

    /// Returns the picture before the quarter turns, and whether it shows only the part that the result shows. If
    /// `geometry` is nil, the picture has the full size.
    ///
    /// Decodes the picture or waits for the decode of another job. The wait is counted as queue time.
    private mutating func shared(_ geometry: ResultGeometry?) throws -> (image: Image, isCut: Bool) {
        let key = resultRenderer.decodeKey(for: info, settings, geometry)
        guard let sharing else { return try measured(.decode) { try $0.decoded(key) } }
        let start = ContinuousClock.now
        let (picture, isOwn) = try sharing.job.image(
            key, version: sharing.version, info: info, budget: budget
        ) { try decoded($0) }
        stages[isOwn ? .decode : .queue, default: .zero] += ContinuousClock.now - start
        return picture
    }

    /// Decodes the picture in the orientation to which the options refer: upright, or as stored if `auto_rotate` is
    /// off.
    private func decoded(_ key: SharedDecodes.Key) throws -> (image: Image, isCut: Bool) {
        let options = key.decoding(of: info)
        let image = try picture(options)
        guard key.region != nil, image.sourceRegion != options.sourceRegion else {
            return (try asWanted(image), key.region != nil)
        }
        // A program's own coder does not read the region, so the image shows the whole picture, squeezed into the size of
        // the part.
        return (try asWanted(try picture(key.options)), false)
    }

    private func picture(_ decoding: DecodingOptions) throws(WebImageError) -> Image {
        guard page == nil else { return try resultRenderer.page(of: source, decoding) }
        return try resultRenderer.coders.decode(source, options: decoding)
    }

    private func asWanted(_ image: Image) throws(WebImageError) -> Image {
        options.autoRotate ? image : try PixelCanvas.oriented(image, info.orientation.inverse)
    }

    // MARK: Encoding

    private func encoding(_ format: OutputFormat, quality: Int) -> EncodingOptions {
        var encoding = EncodingOptions()
        encoding.quality = Double(quality) / 100
        encoding.progressive = settings.isProgressive
        encoding.keepsHDR = options.preserveHDR
        if format.storesOrientation { encoding.metadata = metadata(for: format) }
        if case .color(let color) = options.background { encoding.backgroundColor = color.imageColor }
        return encoding
    }

    private func metadata(for format: OutputFormat) -> EmbeddedMetadata {
        var metadata = EmbeddedMetadata()
        // Without `auto_rotate`, the pixels keep their stored orientation, so the file must still declare it.
        if !options.autoRotate { metadata.orientation = info.orientation }
        guard !options.stripMetadata || options.keepCopyright,
            let properties = try? resultRenderer.coders.imageProperties(of: source, limits: settings.decoding)
        else { return metadata }
        if options.stripMetadata {
            metadata.exif = CopyrightExif.data(artist: properties.artist, copyright: properties.copyright)
        } else {
            // JPEG stores each of them in one segment, whose length has 16 bits. Leave out what does not fit.
            let limit = format == .jpeg ? 65_000 : Int.max
            func fitting(_ data: Data?) -> Data? { data.flatMap { $0.count <= limit ? $0 : nil } }
            (metadata.exif, metadata.xmp) = (fitting(properties.exifData), fitting(properties.xmp))
            let turn = options.autoRotate ? info.orientation : .up
            metadata.density = properties.density?.turned(by: turn)
        }
        return metadata
    }

    /// Encodes the image. If the format is lossy, encodes again with a lower quality while the data is larger than
    /// `max_bytes` and the quality is above 10. With an aim, the coder chooses the quality, also for `max_bytes`.
    private func encoded(_ image: Image, _ format: OutputFormat) throws(WebImageError) -> Data {
        try budget.check()
        if let aim = options.aim, format.isLossy {
            var encoding = encoding(format, quality: settings.quality(of: format, options))
            encoding.qualityAim = QualityAim(
                score: Double(aim.score), qualities: Double(aim.minQuality) / 100...Double(aim.maxQuality) / 100)
            if options.maxBytes > 0 { encoding.maxFileSize = options.maxBytes }
            return try resultRenderer.coders.encode(image, format: format.imageFormat, options: encoding)
        }
        var quality = settings.quality(of: format, options)
        var data = try resultRenderer.coders.encode(
            image, format: format.imageFormat, options: encoding(format, quality: quality))
        guard options.maxBytes > 0, format.isLossy else { return data }
        while data.count > options.maxBytes, quality > 10 {
            let excess = Double(data.count) / Double(options.maxBytes)
            try budget.check()
            quality = max(Int(Double(quality) * (excess > 3 ? 0.25 : excess > 1.5 ? 0.5 : 0.75)), 10)
            data = try resultRenderer.coders.encode(
                image, format: format.imageFormat, options: encoding(format, quality: quality))
        }
        return data
    }

    // MARK: Animations

    /// As many frames of an animation show which format is the smallest one.
    private static let triedFrames = 8

    /// Makes an animated result with one frame in memory at a time; nil if the source's coder provides fewer than two
    /// frames.
    private mutating func animation(
        _ geometry: ResultGeometry, with renderer: FrameRenderer, as formats: [OutputFormat]
    ) throws -> EncodedResult? {
        let start = ContinuousClock.now
        var key = resultRenderer.decodeKey(for: info, settings, geometry)
        key.options.firstFrameOnly = false
        guard var animation = try resultRenderer.coders.animation(of: source, options: key.decoding(of: info)),
            animation.animatedImageFrameCount > 1
        else { return nil }
        if key.region != nil, try animation.frame(at: 0).sourceRegion == nil {
            // A program's own coder does not read the region.
            key.region = nil
            guard let whole = try resultRenderer.coders.animation(of: source, options: key.options) else { return nil }
            animation = whole
        }
        let (frameSource, isCut) = (animation, key.region != nil)
        let count = min(animation.animatedImageFrameCount, settings.maxFrames)
        func file(_ format: OutputFormat, _ count: Int) throws -> Data {
            try animationFile(of: frameSource, isCut: isCut, count: count, with: renderer, as: format)
        }
        var chosen: (format: OutputFormat, data: Data?) = (formats[0], nil)
        if formats.count > 1 {
            chosen = try smallest(of: formats, Double(count) / Double(min(count, Self.triedFrames))) {
                try file($0, min(count, Self.triedFrames))
            }
            if count > Self.triedFrames { chosen.data = nil }
        }
        let data = try chosen.data ?? file(chosen.format, count)
        // Decoding, transforming and encoding alternate for each frame, so the whole time is counted as encoding.
        stages[.encode, default: .zero] += ContinuousClock.now - start
        let swapsSides = resultRenderer.lastTurn(info, chosen.format).swapsSides
        return EncodedResult(
            data: data, format: chosen.format, size: swapsSides ? geometry.rotated.swapped : geometry.rotated,
            frameCount: count, stages: stages)
    }

    /// Returns the format whose trial is the smallest file. Formats after the first one count only if `parts` times the trial take less
    /// than half of the time that is left.
    private func smallest(
        of formats: [OutputFormat], _ parts: Double, trial: (OutputFormat) throws -> Data
    ) throws -> (format: OutputFormat, data: Data?) {
        var best = (format: formats[0], data: try trial(formats[0]))
        for format in formats.dropFirst() {
            let start = ContinuousClock.now
            do throws(any Error) {
                let data = try trial(format)
                let seconds = (ContinuousClock.now - start) / .seconds(1) * parts
                if data.count < best.data.count, seconds < budget.remainingSeconds / 2 { best = (format, data) }
            } catch {
                // An encoder that fails is no reason to send nothing, but cancelled or late work ends here.
                try budget.check()
            }
        }
        return (best.format, best.data)
    }

    private func animationFile(
        of frameSource: any AnimatedImageCoder, isCut: Bool, count: Int, with renderer: FrameRenderer,
        as format: OutputFormat
    ) throws -> Data {
        let delays = info.delaysMilliseconds
        var frames = renderer
        let turn = resultRenderer.lastTurn(info, format)
        return try resultRenderer.coders.encode(
            frameCount: count, loopCount: frameSource.animatedImagePlayCount, format: format.imageFormat,
            options: encoding(format, quality: settings.quality(of: format, options))
        ) { index throws(WebImageError) in
            try budget.check()
            let frame = try asWanted(try frameSource.frame(at: index))
            return ImageFrame(
                image: try PixelCanvas.oriented(try frames.rendered(frame, isCut: isCut), turn),
                duration: index < delays.count ? delays[index] / 1000 : frameSource.animatedImageDuration(at: index))
        }
    }
}
