import Foundation
import WebImageCore
import WebImageGraphics

/// A result: its encoded bytes, the format, the size, the number of frames and the durations of the stages.
struct EncodedResult: Sendable {
    var data: Data
    /// The format of the picture; nil if the result is not a picture but a description in JSON.
    var format: OutputFormat?
    var size: PixelSize?
    var frameCount = 1
    var stages: [ServiceLogEntry.Stage: Duration] = [:]
    /// The number of pixels of the source.
    var sourcePixelCount: Int?

    var mediaType: String { format?.mediaType ?? "application/json" }
}

/// Makes a result from the bytes of a source. Blocks; runs on the decode pool.
struct ResultRenderer: Sendable {
    let options: ProcessingOptions
    var accepted: AcceptedFormats = []
    /// Whether pictures may be encoded in JPEG XL without a name of this format in the target. If not, it is accepted only for
    /// JPEG sources that are not processed.
    var encodesJPEGXL = true
    var settings = OutputSettings()
    var watermark: WatermarkSource?
    var coders = ImageCodersManager.shared

    /// The values that a job needs to share decodes with other jobs of the same source.
    struct Sharing: Sendable {
        let job: SharedDecodes.Job
        /// Identifies the bytes of the source.
        let version: String
    }

    /// Makes the result.
    ///
    /// - Throws: ``ServiceRefusal`` if the target requests an impossible result or a refused result. `WebImageError` if
    ///   the source cannot be decoded or the result cannot be encoded.
    func make(from source: Data, sharing: Sharing? = nil, budget: WorkBudget) throws -> EncodedResult {
        let settings = settings.bounded(by: options.limits)
        try settings.decoding.checkEncodedBytes(source.count)
        let info = try settings.info(of: source, coders)
        var result =
            try options.page == 0
            ? make(from: source, info, settings, sharing: sharing, budget: budget)
            : makePage(from: source, info, settings, budget: budget)
        result.sourcePixelCount = info.pixelSize.pixelCount
        return result
    }

    /// Makes a still of one page or frame. Its decode is not shared: the jobs of other pages need other pictures.
    private func makePage(
        from source: Data, _ info: ImageInfo, _ settings: OutputSettings, budget: WorkBudget
    ) throws -> EncodedResult {
        // The frames of a video are previews, which have no numbers.
        let count = info.format == .video ? 1 : info.frameCount
        guard options.page < count else {
            throw ServiceRefusal.option("page", "the source has \(count) of them, counted from 0")
        }
        try budget.check()
        let start = ContinuousClock.now
        // The header describes the first page only. Others can have other sizes.
        let picture = try page(of: source, decodeKey(for: info, settings, nil).options)
        let decodeTime = ContinuousClock.now - start
        var page = info
        (page.storedSize, page.orientation, page.hasAlpha) = (picture.pixelSize, .up, picture.hasAlpha)
        (page.frameCount, page.loopCount, page.delaysMilliseconds) = (1, nil, [])
        try settings.decoding.checkPixels(page.storedSize)
        var result = try make(from: source, page, settings, sharing: nil, page: picture, budget: budget)
        result.stages[.decode, default: .zero] += decodeTime
        return result
    }

    /// Decodes the page or frame that the options name. It is upright.
    func page(of source: Data, _ decoding: DecodingOptions) throws(WebImageError) -> Image {
        var decoding = decoding
        decoding.firstFrameOnly = false
        guard let pages = try coders.animation(of: source, options: decoding) else {
            throw .badData("page", "the coder returns no pages")
        }
        return try pages.frame(at: options.page)
    }

    /// - Parameter page: The decoded page of `info`; nil for a source that is not decoded yet.
    private func make(
        from source: Data, _ info: ImageInfo, _ settings: OutputSettings, sharing: Sharing?, page: Image? = nil,
        budget: WorkBudget
    ) throws -> EncodedResult {
        if info.format == .svg, let kept = try keptSVG(source, info) { return kept }
        if isTranscoded(info) { return try transcoded(source, info) }
        var format = try format(for: info, settings)
        if let untouched = passedThrough(source, info, as: format) { return untouched }

        var work = RenderJob(
            resultRenderer: self, settings: settings, source: source, info: info, sharing: sharing, page: page,
            budget: budget)
        try work.decodeWhole()
        let geometry = geometry(
            of: work.sourceSize, at: work.sourceOrigin, info, in: format, settings: settings)
        // A drawing is drawn at the size before the cut. Of a bitmap, only the part that the result shows is scaled.
        let picture = info.format.isVector ? geometry.scaled : geometry.cut
        for (name, size) in [("scaled picture", picture), ("result", geometry.rotated)] {
            guard size.pixelCount <= settings.maxResultPixels else {
                throw ServiceRefusal(
                    413, .limit,
                    "the \(name) would have \(size) px (\(size.pixelCount) pixels), more than \(settings.maxResultPixels) "
                        + "pixels")
            }
            // A side costs memory and time of its own, whatever the other side: each row is aligned, and each row and column
            // has weights of the scaling filter.
            guard max(size.width, size.height) <= settings.decoding.maxSide else {
                throw ServiceRefusal(
                    413, .limit,
                    "the \(name) would have \(size) px, and a side has at most \(settings.decoding.maxSide) px")
            }
        }
        let choice = choice(for: info, settings)
        format = choice.replacement(for: format, size: geometry.rotated)
        try buffers(geometry, info, in: format).check(min(settings.maxWorkBytes, budget.maxBytes))
        let candidates = choice.candidates(with: format, size: geometry.rotated, hasAim: options.aim != nil).filter {
            // Another format must not be the reason for a refusal.
            buffers(geometry, info, in: $0).byteCount <= min(settings.maxWorkBytes, budget.maxBytes)
        }
        return try work.finish(geometry, candidates)
    }

    /// The key of the decode that ``make(from:sharing:budget:)`` will need. It is nil if the source is an SVG, has several
    /// frames or is sent unchanged, or if the target is refused.
    func decodeKey(for info: ImageInfo) -> SharedDecodes.Key? {
        let settings = settings.bounded(by: options.limits)
        guard !info.format.isVector, info.frameCount < 2, options.page == 0,
            let format = try? format(for: info, settings), !isUntouched(info, format), !isTranscoded(info)
        else { return nil }
        let geometry =
            options.trim == nil ? geometry(of: orientedSize(info), info, in: format, settings: settings) : nil
        return decodeKey(for: info, settings, geometry)
    }

    /// The key of the decode for a result with these sizes; nil means the full size.
    func decodeKey(
        for info: ImageInfo, _ settings: OutputSettings, _ geometry: ResultGeometry?
    ) -> SharedDecodes.Key {
        var decoding = DecodingOptions()
        decoding.limits = settings.decoding
        decoding.firstFrameOnly = true
        decoding.colorConversion = options.stripColorProfile ? .sRGB : .asStored
        if keepsRange(info, settings, at: geometry) { decoding.dynamicRange = .keep }
        decoding.video.time = options.videoSecond
        guard let geometry else {
            return SharedDecodes.Key(options: decoding, isUpright: options.autoRotate, size: info.pixelSize)
        }
        let isVector = info.format.isVector
        let whole = upright(geometry.decodeSize(isVector: isVector), info)
        // From twice the size, each of several results is scaled without a visible loss.
        let wide = PixelSize(
            width: min(2 * whole.width, max(info.pixelSize.width, whole.width)),
            height: min(2 * whole.height, max(info.pixelSize.height, whole.height)))
        // A vector is drawn at the size of the result.
        guard !isVector else {
            return SharedDecodes.Key(options: decoding, isUpright: options.autoRotate, size: whole)
        }
        guard let region = geometry.fixedRegion else {
            // The part of the result is chosen in the picture, and the result is then scaled from the picture.
            return SharedDecodes.Key(options: decoding, isUpright: options.autoRotate, size: wide)
        }
        if region == PixelRegion(geometry.turned) {
            return SharedDecodes.Key(options: decoding, isUpright: options.autoRotate, size: whole, sharedSize: wide)
        }
        return SharedDecodes.Key(
            options: decoding, isUpright: options.autoRotate, size: upright(geometry.cut, info), sharedSize: wide,
            region: upright(region, in: geometry.turned, info))
    }

    /// Whether the result has the high dynamic range of the source. The format of a small result can be another one than that
    /// of a large one.
    private func keepsRange(_ info: ImageInfo, _ settings: OutputSettings, at geometry: ResultGeometry?) -> Bool {
        guard options.preserveHDR, let hdr = info.hdr else { return false }
        let choice = choice(for: info, settings)
        guard let format = try? choice.choose() else { return false }
        return hdr.isKept(
            in: (geometry.map { choice.replacement(for: format, size: $0.rotated) } ?? format).imageFormat)
    }

    /// Converts a size after the quarter turns to the size of the upright picture that coders return.
    private func upright(_ size: PixelSize, _ info: ImageInfo) -> PixelSize {
        let unturned = options.quarterTurns % 2 == 1 ? size.swapped : size
        return !options.autoRotate && info.orientation.swapsSides ? unturned.swapped : unturned
    }

    /// Converts a part of the turned and mirrored source to a part of the upright picture that coders return.
    private func upright(_ region: PixelRegion, in turned: PixelSize, _ info: ImageInfo) -> PixelRegion {
        var region = region
        if !options.flipsLast {
            if options.flipHorizontal { region.left = Double(turned.width) - region.right }
            if options.flipVertical { region.top = Double(turned.height) - region.bottom }
        }
        let unturned = options.quarterTurns % 2 == 1 ? turned.swapped : turned
        let oriented = region.stored(ImageOrientation(quarterTurns: options.quarterTurns), in: unturned)
        return options.autoRotate ? oriented : oriented.stored(info.orientation.inverse, in: info.pixelSize)
    }

    private func format(for info: ImageInfo, _ settings: OutputSettings) throws(ServiceRefusal) -> OutputFormat {
        try choice(for: info, settings).choose()
    }

    private func choice(for info: ImageInfo, _ settings: OutputSettings) -> FormatChoice {
        FormatChoice(
            wanted: options.format, accepted: encodesJPEGXL ? accepted : accepted.subtracting(.jxl), source: info,
            hasTransparency: hasTransparency(info),
            staysAnimated: frameCount(info, settings, in: options.format) > 1,
            canEncode: { coders.canEncode(to: $0.imageFormat) },
            canEncodeFrames: { coders.canEncodeFrames(to: $0.imageFormat) })
    }

    /// Whether the result can have transparent pixels: the source has some, space is added around the picture, or the corners
    /// are cut. A background makes the picture opaque; later steps can make it transparent again.
    private func hasTransparency(_ info: ImageInfo) -> Bool {
        var isTransparent = info.hasAlpha
        for step in options.pixelSteps {
            switch step {
            case .canvas:
                let isExtended =
                    options.extend.isEnabled || options.extendAspectRatio.isEnabled || !options.padding.isEmpty
                if isExtended, options.extendBackground == nil { isTransparent = true }
            case .background: if options.background != nil { isTransparent = false }
            case .corners: if let corner = options.roundCorner, corner.color == nil { isTransparent = true }
            default: break
            }
        }
        return isTransparent
    }

    /// - Parameter origin: The position of `source` in the picture to which the edges of a crop refer.
    private func geometry(
        of source: PixelSize, at origin: PixelPlace = PixelPlace(x: 0, y: 0), _ info: ImageInfo,
        in format: OutputFormat, settings: OutputSettings
    ) -> ResultGeometry {
        var options = options
        options.manualCrop?.move(from: origin)
        return ResultGeometry(
            source: source, options: options, isVector: info.format.isVector,
            maxSide: min(format.maxDimension, settings.maxResultSide))
    }

    /// The size of the source to which the options refer: the upright size, or the stored size if `auto_rotate` is off.
    func orientedSize(_ info: ImageInfo) -> PixelSize {
        options.autoRotate ? info.pixelSize : info.storedSize
    }

    /// Whether the source is sent unchanged, because it already has the format of the result and the target skips
    /// processing for this format.
    private func isUntouched(_ info: ImageInfo, _ format: OutputFormat) -> Bool {
        OutputFormat(info.format) == format && options.page == 0 && options.skippedFormats.contains(format)
    }

    /// Whether the target skips the processing of a JPEG source for a client that accepts JPEG XL.
    private func isTranscoded(_ info: ImageInfo) -> Bool {
        info.format == .jpeg && options.format == nil && options.skippedFormats.contains(.jpeg)
            && accepted.contains(.jxl) && coders.jpegTranscoder != nil
    }

    /// Returns a JPEG source as JPEG XL, from which the client can restore it bit for bit. Returns the source itself if that
    /// saves too little, takes too long, or is not possible.
    private func transcoded(_ source: Data, _ info: ImageInfo) throws -> EncodedResult {
        var untouched = EncodedResult(data: source, format: .jpeg, size: info.pixelSize)
        do throws(WebImageError) {
            let file = try coders.jpegTranscoder?.transcoded(jpeg: source, limits: settings.decoding)
            if let file, Double(file.count) <= Self.largestTranscodedPart * Double(source.count) {
                (untouched.data, untouched.format) = (file, .jxl)
            }
        } catch {
            guard !error.isCancellation else { throw error }
        }
        return untouched
    }

    /// The size of a transcoded JPEG, compared with the JPEG, up to which it is sent. A JPEG is shown while it arrives, and
    /// every program opens it.
    private static let largestTranscodedPart = 0.82

    /// The memory in bytes that ``make(from:sharing:budget:)`` needs. Reads only the header of the source.
    func cost(of source: Data) -> Int {
        let settings = settings.bounded(by: options.limits)
        guard let info = try? settings.info(of: source, coders), let format = try? format(for: info, settings) else {
            return 0
        }
        let geometry = geometry(of: orientedSize(info), info, in: format, settings: settings)
        return min(buffers(geometry, info, in: format).byteCount, settings.maxWorkBytes)
    }

    /// The buffers of a result.
    private func buffers(_ geometry: ResultGeometry, _ info: ImageInfo, in format: OutputFormat) -> ResultBuffers {
        let key = decodeKey(for: info, settings, options.trim == nil ? geometry : nil)
        let decoded = !options.autoRotate && info.orientation.swapsSides ? key.size.swapped : key.size
        var decoding = key.decoding(of: info)
        let frameCount = frameCount(info, settings.bounded(by: options.limits), in: format)
        decoding.firstFrameOnly = frameCount == 1
        // A vector is drawn at the decoded size. Other coders can need memory for the whole picture.
        let bytes = info.format.isVector ? decoded.byteCount(8) : info.decodeBytes(decoding)
        return ResultBuffers(
            geometry, options, decodedByteCount: bytes, decoded: decoded,
            mark: options.watermark == nil ? nil : watermark?.pixelSize, format: format, frameCount: frameCount,
            turnsLast: lastTurn(info, format) != .up)
    }

    /// The orientation that is applied to the pixels of the finished result. Without `auto_rotate`, the pixels keep their
    /// stored orientation, and the file declares it. If files of the format cannot declare it, the pixels are turned
    /// instead: every format shows the same picture.
    func lastTurn(_ info: ImageInfo, _ format: OutputFormat) -> ImageOrientation {
        options.autoRotate || format.storesOrientation ? .up : info.orientation
    }

    /// The number of frames of the result: all frames of the source, or 1. If an animation exceeds a limit, the target has
    /// the option `trim`, or the format cannot store several frames, the result is the first frame of the source.
    ///
    /// - Parameter format: The format of the result; nil if it is not chosen yet.
    func frameCount(_ info: ImageInfo, _ settings: OutputSettings, in format: OutputFormat?) -> Int {
        // A video is shown by its poster, as in imgproxy.
        let count = info.format == .video ? 1 : info.animationFrameCount
        guard count > 1, count <= settings.maxFrames, options.trim == nil else { return 1 }
        if let format, !coders.canEncodeFrames(to: format.imageFormat) { return 1 }
        let frame = ResultGeometry(source: orientedSize(info), options: options, maxSide: settings.maxResultSide)
            .rotated
        if let limit = options.limits.maxFramePixels, info.pixelSize.pixelCount > limit { return 1 }
        return frame.pixelCount <= settings.maxAnimationPixels / count ? count : 1
    }

    /// Returns an SVG source as a sanitised SVG if the target requests this format or no format. Returns nil if the
    /// source must be drawn: the target requests another format or a bitmap, or requests no format and the source
    /// cannot be sanitised.
    private func keptSVG(_ source: Data, _ info: ImageInfo) throws(ServiceRefusal) -> EncodedResult? {
        guard options.format == .svg || (options.format == nil && !options.drawsSVG) else { return nil }
        guard let safe = SVGSanitizer.sanitized(source) else {
            guard options.format == .svg else { return nil }
            throw ServiceRefusal(
                415, .notPicture, "the SVG cannot be sanitised: it is not UTF-8, not well-formed, or declares entities")
        }
        return EncodedResult(data: safe, format: .svg, size: info.pixelSize)
    }

    /// Returns the unchanged source as the result if the target skips processing for its format. Otherwise returns nil.
    private func passedThrough(_ source: Data, _ info: ImageInfo, as format: OutputFormat) -> EncodedResult? {
        guard isUntouched(info, format) else { return nil }
        return EncodedResult(data: source, format: format, size: info.pixelSize, frameCount: info.frameCount)
    }
}
