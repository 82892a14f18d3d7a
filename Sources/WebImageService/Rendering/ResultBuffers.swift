import WebImageCore
import WebImageGraphics

/// The pixel buffers of a result, step by step. They are computed from sizes and options before the first buffer is
/// allocated, so that a result that needs too much memory is refused and not begun.
struct ResultBuffers: Sendable, Hashable {
    struct Buffer: Sendable, Hashable {
        let name: String
        let byteCount: Int
    }

    /// The buffers that exist at the same time during a step.
    struct Step: Sendable, Hashable {
        var buffers: [Buffer]

        var byteCount: Int { buffers.reduce(0) { ResultBuffers.sum($0, $1.byteCount) } }
        /// The name of the largest buffer.
        var largest: String { buffers.max { $0.byteCount < $1.byteCount }?.name ?? "" }
    }

    /// The buffers that exist from the decode to the end of the encoding.
    private var kept: [Buffer] = []
    private(set) var steps: [Step] = []

    /// The step that needs the most memory.
    var largest: Step { steps.max { $0.byteCount < $1.byteCount } ?? Step(buffers: []) }

    /// The greatest sum of all buffers that exist at the same time, in bytes.
    var byteCount: Int { largest.byteCount }

    /// - Parameters:
    ///   - decodedByteCount: The memory of the decode in bytes, with the working memory of the library.
    ///   - decoded: The size of the decoded picture.
    ///   - mark: The size of the watermark as it is stored; nil if the result has none.
    ///   - format: The format of the result; nil if it is not yet known.
    ///   - frameCount: The number of frames of the result.
    ///   - turnsLast: Whether the finished picture is turned before it is encoded.
    init(
        _ geometry: ResultGeometry, _ options: ProcessingOptions, decodedByteCount: Int, decoded: PixelSize,
        mark: PixelSize?, format: OutputFormat?, frameCount: Int = 1, turnsLast: Bool = false
    ) {
        steps = [Step(buffers: [Buffer(name: "decoding", byteCount: decodedByteCount)])]
        kept = [Self.buffer("decoded picture", decoded)]
        var current = decoded
        /// Adds a step that makes a buffer from the current one.
        func step(_ name: String, _ size: PixelSize, besides extra: [Buffer] = []) -> Step {
            defer { current = size }
            return Step(
                buffers: kept + [Self.buffer("picture before \(name)", current), Self.buffer(name, size)] + extra)
        }
        let turned = options.quarterTurns % 2 == 1 ? decoded.swapped : decoded
        if options.quarterTurns % 4 != 0 || !options.autoRotate { steps.append(step("turned picture", turned)) }
        current = turned
        if options.flipHorizontal || options.flipVertical { steps.append(step("mirrored picture", turned)) }
        if current != geometry.cut {
            // Rows are scaled before columns if the picture becomes much lower.
            let between = PixelSize(width: current.width, height: min(geometry.cut.height, current.height))
            steps.append(step("scaled picture", geometry.cut, besides: [Self.buffer("shortened picture", between)]))
        }
        for pixelStep in options.pixelSteps {
            switch pixelStep {
            case .blur, .sharpen, .pixelate, .gray, .brightness, .contrast, .saturation, .channels:
                guard let (name, count) = Self.effect(pixelStep, options) else { continue }
                let extra = (1..<count).map { Self.buffer("\(name), buffer \($0 + 1)", current) }
                steps.append(step(name, current, besides: extra))
            case .canvas:
                for size in [geometry.extended, geometry.extendedToRatio, geometry.result] where size != current {
                    steps.append(step("canvas", size))
                }
            case .rotation:
                guard options.angle != 0 else { continue }
                steps.append(step("rotated picture", Geometry.rotated(current, by: options.angle)))
            case .background: steps.append(step("flattened picture", current))
            case .watermark:
                guard let mark, let wanted = options.watermark else { continue }
                let size = WatermarkDrawing.visibleSize(of: mark, wanted, on: current)
                let marks = [Self.buffer("watermark", mark), Self.buffer("scaled watermark", size)]
                steps.append(step("picture with watermark", current, besides: marks))
            case .corners:
                guard options.roundCorner != nil else { continue }
                steps.append(
                    step("picture with round corners", current, besides: [Self.buffer("rounded picture", current)]))
            }
        }
        if turnsLast { steps.append(step("upright picture", geometry.rotated)) }
        let name = format.map { "encoding \($0.rawValue)" } ?? "encoding"
        let encoder = Buffer(
            name: name,
            byteCount: Self.product(geometry.rotated.byteCount(1), format?.encoderBytesPerPixel ?? 4))
        var result = step("result", geometry.rotated, besides: [encoder])
        if options.aim != nil, format?.isLossy ?? true, frameCount == 1 {
            let scored = min(geometry.rotated.byteCount(1), PictureScore.largestWhole)
            result.buffers += [
                Self.buffer("decoded result", geometry.rotated),
                Buffer(name: "score", byteCount: Self.product(scored, PictureScore.bytesPerPixel)),
            ]
        }
        // The writers of animations compare a frame with the previous one.
        if frameCount > 1 { result.buffers.append(Self.buffer("previous frame", geometry.rotated)) }
        steps.append(result)
    }

    /// Refuses a result that needs more memory than a limit.
    ///
    /// - Throws: A refusal with status 413 that names the step's largest buffer.
    func check(_ limit: Int) throws(ServiceRefusal) {
        let largest = largest
        guard largest.byteCount <= limit else {
            throw ServiceRefusal(
                413, .limit,
                "the result would need \(largest.byteCount >> 20) MB, more than \(limit >> 20) MB: the largest buffer is "
                    + "the \(largest.largest)")
        }
    }

    /// An effect of a result and the number of buffers that it allocates; nil if the options do not have the effect.
    private static func effect(
        _ step: ProcessingOptions.PixelStep, _ options: ProcessingOptions
    ) -> (name: String, count: Int)? {
        switch step {
        case .blur where options.blur > 0: ("blurred picture", 2)
        case .sharpen where options.sharpen > 0: ("sharpened picture", 3)
        case .pixelate where options.pixelate > 1: ("pixelated picture", 2)
        case .gray where options.isGray: ("grey picture", 3)
        case .brightness where options.brightness != 0: ("brighter picture", 3)
        case .contrast where options.contrast != 0: ("picture with contrast", 3)
        case .saturation where options.saturation != 1: ("saturated picture", 3)
        case .channels where options.channels != .init(): ("tinted picture", 3)
        default: nil
        }
    }

    private static func buffer(_ name: String, _ size: PixelSize) -> Buffer {
        Buffer(name: name, byteCount: size.byteCount(4))
    }

    private static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    private static func product(_ one: Int, _ other: Int) -> Int {
        let (product, overflow) = one.multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}

extension OutputFormat {
    /// An upper bound of the memory of an encoder and its file for each pixel, in bytes (Documentation/Costs.md).
    fileprivate var encoderBytesPerPixel: Int {
        switch self {
        case .jpeg: 8
        case .png, .gif, .tiff, .bmp, .ico: 6
        case .webp: 16
        case .avif, .heic: 24
        case .jxl: 40
        case .svg: 0
        }
    }
}
