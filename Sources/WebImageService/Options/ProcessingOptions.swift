import WebImageCore

/// The processing that a target requests for its source. It does not depend on the grammar of the target.
struct ProcessingOptions: Sendable, Hashable {
    enum Resizing: String, Sendable, CaseIterable {
        /// Scales the picture so that it fits inside the box.
        case fit
        /// Scales the picture so that it covers the box, and cuts off the parts outside the box.
        case fill
        /// Like `fill`, but a source that is smaller than the box is not enlarged. Instead, it is cut to the aspect
        /// ratio of the box.
        case fillDown = "fill-down"
        /// Scales the picture to the size of the box. The aspect ratio can change.
        case force
        /// Uses `fill` if the source and the box are both portrait or both landscape. Otherwise uses `fit`.
        case auto
        /// Scales the picture so that it covers the box, and cuts nothing off (thumbor's `full-fit-in`).
        case cover
    }

    struct Extension: Sendable, Hashable {
        var isEnabled = false
        var gravity = Gravity.center
    }

    struct Crop: Sendable, Hashable {
        /// The width of the part that remains. A value of 1 or more is in pixels; a smaller value is a fraction of the
        /// source's width. 0 means the whole width. The same rules apply to `height`.
        var width = 0.0
        var height = 0.0
        /// The position of the part; nil uses ``ProcessingOptions/gravity``.
        var gravity: Gravity?
    }

    /// A part of the source. Its edges are in pixels from the top left corner of the source.
    struct ManualCrop: Sendable, Hashable {
        var left: Int
        var top: Int
        var right: Int
        var bottom: Int

        /// Makes the edges refer to the part of the source that begins at `origin`. They can be outside of the part.
        mutating func move(from origin: PixelPlace) {
            left -= origin.x
            right -= origin.x
            top -= origin.y
            bottom -= origin.y
        }
    }

    struct Trim: Sendable, Hashable {
        /// The tolerance, 0...255. A pixel belongs to the border if each of its channels differs from the border's
        /// colour by at most this value.
        var threshold: Double
        /// The border's colour; nil uses the colour of the corner that ``usesBottomRight`` selects.
        var color: PlainColor?
        var hasEqualHorizontal = false
        var hasEqualVertical = false
        /// Whether the border has the colour of the bottom right corner instead of the top left corner. Ignored if
        /// ``color`` is set.
        var usesBottomRight = false
    }

    struct Padding: Sendable, Hashable {
        var top = 0
        var right = 0
        var bottom = 0
        var left = 0

        var isEmpty: Bool { top == 0 && right == 0 && bottom == 0 && left == 0 }
    }

    struct Watermark: Sendable, Hashable {
        /// The opacity, 0...1. It is multiplied by the configured opacity.
        var opacity: Double
        var gravity = Gravity.center
        /// Whether the mark is repeated over the whole picture. If it is repeated, the offsets of `gravity` are the
        /// gaps between the marks.
        var isTiled = false
        /// The size of a box, as a fraction of the result's sides. The mark is scaled so that it fits into this box. 0
        /// scales the mark only by the device pixel ratio.
        var scale = 0.0
    }

    /// A step that changes pixels after the picture was cut and scaled.
    enum PixelStep: String, Sendable, CaseIterable {
        case blur, sharpen, pixelate, gray, brightness, contrast, saturation, channels
        /// Adds the space of `extend`, of `extend_aspect_ratio` and of the padding.
        case canvas
        /// Rotates by ``ProcessingOptions/angle``.
        case rotation
        /// Draws the picture over ``ProcessingOptions/background``.
        case background
        case watermark, corners
    }

    enum Background: Sendable, Hashable {
        case color(PlainColor)
        /// The mean colour of the picture.
        case mean
    }

    /// A percentage of the full value, 255, for each channel, which is added to its values.
    struct ChannelShift: Sendable, Hashable {
        var red = 0
        var green = 0
        var blue = 0
    }

    struct RoundCorner: Sendable, Hashable {
        /// The horizontal radius in pixels. It is limited to half the width of the picture.
        var radius: Int
        /// The vertical radius in pixels; nil for the value of ``radius``. It is limited to half the height of the
        /// picture.
        var verticalRadius: Int?
        /// The colour of the corners; nil leaves the corners transparent.
        var color: PlainColor?
    }

    struct Aim: Sendable, Hashable {
        /// The score of SSIMULACRA 2, 1...99.
        var score: Int
        var minQuality = 1
        var maxQuality = 100
    }

    /// The limits that a target sets for itself; nil sets no limit. A target is refused if one of its limits exceeds
    /// the configured limit.
    struct Limits: Sendable, Hashable {
        var maxSourcePixels: Int?
        var maxSourceBytes: Int?
        var maxFrames: Int?
        var maxFramePixels: Int?
        var maxResultDimension: Int?
    }

    // Geometry.
    var resizing = Resizing.fit
    var width = 0
    var height = 0
    var minWidth = 0
    var minHeight = 0
    var zoomX = 1.0
    var zoomY = 1.0
    var dpr = 1.0
    var enlarge = false
    var extend = Extension()
    var extendAspectRatio = Extension()
    var gravity = Gravity.center
    var crop: Crop?
    var manualCrop: ManualCrop?
    var trim: Trim?
    var padding = Padding()
    var autoRotate = true
    /// The number of clockwise quarter turns, 0...3.
    var quarterTurns = 0
    /// The angle of a rotation in degrees counter-clockwise: 0, 90, 180 or 270. ``pixelSteps`` has its place.
    var angle = 0.0
    var flipHorizontal = false
    var flipVertical = false
    /// Whether the picture is mirrored after cutting instead of before cutting. If the value is true, gravities refer
    /// to the unmirrored picture, as in thumbor.
    var flipsLast = false
    /// Whether the part that is cut begins at an exact position, as in thumbor, instead of at a whole pixel of the scaled
    /// picture, as in imgproxy.
    var cutsExactly = false
    /// Whether `extend` gives exactly the box, as in thumbor: it cuts a picture that a rotation has made larger than the box,
    /// and puts an odd pixel of space to the right and below. If the value is false, `extend` only adds space, as in imgproxy.
    var extendsExactly = false
    /// Whether a width of 0 means the source's width instead of the width that follows from the height.
    var keepsSourceWidth = false
    /// Whether a height of 0 means the source's height instead of the height that follows from the width.
    var keepsSourceHeight = false
    /// An area of the source in pixels. The centre of the area is the focus point.
    var focalArea: ManualCrop?
    /// The background of the space that `extend` adds. If this value is nil, the space has the colour of `background`.
    /// If both values are nil, the space is transparent.
    var extendBackground: Background?
    /// Whether `width` and `height` are swapped if only one of the source and the box is landscape (thumbor's
    /// `adaptive-`).
    var isAdaptive = false

    // Pixels.
    /// The order of the steps that change pixels. In thumbor's grammar, it is the order of the filters.
    var pixelSteps = PixelStep.allCases
    var background: Background?
    var blur = 0.0
    var sharpen = 0.0
    var pixelate = 0
    var isGray = false
    /// The percentage of the full value, 255, that is added to the values of all channels.
    var brightness = 0
    /// By how many percent values are moved away from the middle. The percentage applies twice.
    var contrast = 0
    /// How far colours are from grey: 1 leaves them, 0 makes them grey.
    var saturation = 1.0
    var channels = ChannelShift()
    var roundCorner: RoundCorner?
    var watermark: Watermark?

    // File.
    var stripMetadata = true
    var keepCopyright = true
    var stripColorProfile = true
    /// Whether the result has the high dynamic range of the source, if its format has a place for it: a gain map in JPEG, PQ
    /// and HLG in PNG, AVIF and JPEG XL.
    var preserveHDR = false
    /// The time of the frame of a video, in seconds; nil uses the first frame that is not black.
    var videoSecond: Double?
    /// The page of a document or the frame of an animation that the result shows as a still, counted from 0. 0 has no effect:
    /// the result shows the first page, or the animation.
    var page = 0
    /// The quality, 0...100; 0 uses the format's default.
    var quality = 0
    var formatQuality: [OutputFormat: Int] = [:]
    /// The score that decides the quality of a still in a lossy format; nil uses the quality.
    var aim: Aim?
    var maxBytes = 0
    var format: OutputFormat?
    var skippedFormats: Set<OutputFormat> = []
    /// Whether an SVG source becomes a bitmap if the target names no format (thumbor). If the value is false, it stays
    /// an SVG.
    var drawsSVG = false
    var raw = false
    var cacheBuster = ""
    /// The tags by which the result can be purged.
    var tags: [String] = []

    // Answer. The options in this group do not affect the body.
    /// The time in seconds since 1970 after which the target is refused.
    var expires: Int?
    var filename: String?
    var isAttachment = false

    var limits = Limits()

    /// Whether the rotation by ``angle`` comes before the canvas.
    var rotatesFirst: Bool {
        guard angle != 0, let rotation = pixelSteps.firstIndex(of: .rotation),
            let canvas = pixelSteps.firstIndex(of: .canvas)
        else { return false }
        return rotation < canvas
    }

    /// Puts steps into the order in which a target names them. Of a step that is named twice, the last place counts.
    mutating func order(_ named: [PixelStep]) {
        var last: [PixelStep] = []
        for step in named.reversed() where !last.contains(step) { last.insert(step, at: 0) }
        let standard = PixelStep.allCases
        // Targets with equal results must have equal options, and so one key.
        guard last != standard.filter(last.contains) else { return }
        pixelSteps = standard.filter { !last.contains($0) } + last
    }
}

/// An opaque colour with eight bits per channel.
struct PlainColor: Sendable, Hashable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8

    static let white = PlainColor(red: 255, green: 255, blue: 255)

    /// Parses three or six hexadecimal digits (`fff`, `ffffff`); nil for any other text.
    init?(hex: some StringProtocol) {
        let digits = hex.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == hex.utf8.count, digits.count == 3 || digits.count == 6 else { return nil }
        let values =
            digits.count == 3
            ? digits.map { (digit: Int) -> Int in digit * 17 }
            : [0, 2, 4].map { (place: Int) -> Int in digits[place] * 16 + digits[place + 1] }
        self.init(red: UInt8(values[0]), green: UInt8(values[1]), blue: UInt8(values[2]))
    }

    init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    var imageColor: ImageColor {
        ImageColor(red: Double(red) / 255, green: Double(green) / 255, blue: Double(blue) / 255)
    }
}

/// A format that a target can name.
enum OutputFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, webp, avif, jxl, gif, ico, heic, bmp, tiff, svg

    /// Parses the name of a format. `jpg` means `jpeg`, and `tif` means `tiff`.
    init?(name: some StringProtocol) {
        self.init(rawValue: name == "jpg" ? "jpeg" : name == "tif" ? "tiff" : String(name))
    }

    /// Creates the output format that corresponds to an image format. Returns nil if no output format corresponds to
    /// the image format.
    init?(_ format: ImageFormat) {
        guard let found = Self.allCases.first(where: { $0.imageFormat == format.container }) else { return nil }
        self = found
    }

    var imageFormat: ImageFormat {
        switch self {
        case .jpeg: .jpeg
        case .png: .png
        case .webp: .webP
        case .avif: .avif
        case .jxl: .jpegXL
        case .gif: .gif
        case .ico: .ico
        case .heic: .heic
        case .bmp: .bmp
        case .tiff: .tiff
        case .svg: .svg
        }
    }

    var mediaType: String { imageFormat.mediaType }

    var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    var hasAlpha: Bool { self != .jpeg && self != .bmp }

    /// Whether the files of the format have a quality.
    var isLossy: Bool { [.jpeg, .webp, .avif, .jxl, .heic].contains(self) }

    /// Whether results of the format have metadata, and with it the orientation.
    var storesOrientation: Bool { [.jpeg, .png, .webp, .avif].contains(self) }

    /// The maximum length in pixels of a side of a result in this format.
    var maxDimension: Int {
        switch self {
        case .webp: 16_383
        case .avif, .heic: 16_384
        case .ico: 256
        case .jpeg: 65_500
        default: 65_535
        }
    }
}
