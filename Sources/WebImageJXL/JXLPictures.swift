import CWebImageJXL
import Foundation
import WebImageCore
import WebImageGraphics

/// Reads the header of one file, then decodes the frames of the file one by one.
final class JXLPictures {
    private let decoder: JXLDecoder
    private let bytes: UnsafeRawBufferPointer
    private(set) var info: ImageInfo
    private let header: JxlBasicInfo
    private let profile: ColorProfile?
    /// The extra channel with black ink. The three colours of such a file are cyan, magenta and yellow.
    private let blackChannel: Int?
    /// The index of the frame that the decoder reads next. Nil after an error.
    ///
    /// After an error, the decoder can still have the address of a released pixel buffer. Therefore the decoder must be
    /// restarted.
    private var nextIndex: Int? = 0

    /// The gain map of the picture; nil if it has none.
    private(set) var gainMap: JXLGainMap?

    /// - Parameter isMap: Whether the picture is the gain map of another one, so that it has none itself.
    init(
        _ bytes: UnsafeRawBufferPointer, limits: DecodingLimits, deadline: DecodeDeadline, isMap: Bool = false
    ) throws(WebImageError) {
        self.bytes = bytes
        decoder = try JXLDecoder(
            bytes, events: JXL_DEC_BASIC_INFO, JXL_DEC_COLOR_ENCODING, JXL_DEC_FULL_IMAGE)
        guard try decoder.next(deadline) == JXL_DEC_BASIC_INFO else { throw Self.unexpected }
        header = try decoder.basicInfo()
        info = ImageInfo(header)
        try limits.checkPixels(info.storedSize)
        blackChannel = try decoder.blackChannel(of: header)
        guard try decoder.next(deadline) == JXL_DEC_COLOR_ENCODING else { throw Self.unexpected }
        let color = decoder.encodedColor()
        info.hasICCProfile = color == nil
        var budget = AncillaryBudget(limits)
        if let points = color?.codePoints {
            profile = ColorProfile(
                primaries: points.primaries, transfer: points.transfer,
                light: Self.light(of: header, transfer: points.transfer))
        } else {
            profile = try decoder.profile(&budget)
        }
        info.hdr = profile?.hdr
        guard !isMap, blackChannel == nil, header.have_animation == 0,
            let map = JXLGainMap(findingIn: bytes, limits: limits, deadline: deadline)
        else { return }
        gainMap = map
        var range = info.hdr ?? HDRDescription()
        range.gainMap = map.description
        info.hdr = range
    }

    /// The brightest light that the header declares for PQ or HLG.
    ///
    /// If its caller has set no number, libjxl writes 10,000 nits for PQ and 1,000 for HLG, and version 0.7 writes 255, the
    /// light of sRGB. These numbers say nothing about the picture.
    private static func light(of header: JxlBasicInfo, transfer: Int) -> ContentLightLevel? {
        let nits = Double(header.intensity_target)
        guard nits >= 1, nits < 10_000, nits != 255, nits != 1_000 || transfer != 18 else { return nil }
        return ContentLightLevel(maximum: Int(nits.rounded(.up)))
    }

    private static let unexpected = WebImageError.badData("libjxl", "the header is incomplete")

    /// Whether the header declares an animation.
    var declaresAnimation: Bool { header.have_animation != 0 }

    /// Counts the frames and reads their durations from the frame headers. Decodes no pixels.
    func countFrames(limits: DecodingLimits, deadline: DecodeDeadline) throws(WebImageError) {
        guard header.have_animation != 0 else { return }
        let walker = try JXLDecoder(bytes, events: JXL_DEC_FRAME)
        let (ticks, seconds) = (header.animation.tps_numerator, header.animation.tps_denominator)
        info.loopCount = Int(header.animation.num_loops)
        while try walker.next(deadline) == JXL_DEC_FRAME {
            let duration = Double(try walker.frameDuration())
            info.delaysMilliseconds.append(duration * 1000 * Double(seconds) / Double(max(ticks, 1)))
            try limits.checkAnimation(info.storedSize, frameCount: info.delaysMilliseconds.count)
            try deadline.check()
        }
        info.frameCount = max(info.delaysMilliseconds.count, 1)
    }

    /// The time of decoding a pixel and a byte of a file (Documentation/Costs.md).
    private static let (secondsPerPixel, secondsPerByte) = (40e-9, 80e-9)

    /// Decodes one frame. libjxl blends the layers of the frame.
    func picture(
        at index: Int, options: DecodingOptions, deadline: DecodeDeadline
    ) throws(WebImageError) -> DecodedPicture {
        // libjxl can only be interrupted between pieces of the file. A small file is one piece.
        try deadline.admit(
            "decoding JPEG XL",
            seconds: Double(info.storedSize.pixelCount) * Self.secondsPerPixel
                + Double(bytes.count) / Double(max(info.frameCount, 1)) * Self.secondsPerByte)
        let isNext = index == nextIndex
        nextIndex = nil
        if !isNext { try decoder.restart(skipping: index) }
        let pixels = try PixelBuffer(
            width: info.storedSize.width, height: info.storedSize.height, format: layout(for: options))
        let black =
            blackChannel == nil ? nil : try PixelBuffer(width: pixels.width, height: pixels.height, format: .gray8)
        var hasOutput = false
        while true {
            switch try decoder.next(deadline) {
            case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
                try decoder.setOutput(pixels)
                if let black, let blackChannel { try decoder.setOutput(black, ofExtraChannel: blackChannel) }
                hasOutput = true
            case JXL_DEC_FULL_IMAGE:
                guard hasOutput else { throw .badData("libjxl", "a frame has no pixels") }
                nextIndex = index + 1
                if let black { try addBlack(black, to: pixels) }
                return DecodedPicture(
                    pixels: pixels, orientation: info.orientation, profile: black == nil ? profile : nil,
                    hasAlpha: info.hasAlpha, format: .jpegXL)
            // After a restart, the decoder reports the header events a second time.
            case JXL_DEC_BASIC_INFO, JXL_DEC_COLOR_ENCODING: continue
            default: throw .badData("libjxl", "there is no such frame")
            }
        }
    }

    /// Converts cyan, magenta and yellow in `pixels` together with their black ink to sRGB. The values are 1 − ink. The
    /// alpha of `pixels` stays.
    private func addBlack(_ black: PixelBuffer, to pixels: PixelBuffer) throws(WebImageError) {
        /// Swaps the fourth channel of `pixels` with the values in `black`.
        func swapFourth() {
            for y in 0..<pixels.height {
                let row = (pixels.baseAddress + y * pixels.bytesPerRow).assumingMemoryBound(to: UInt8.self)
                let other = (black.baseAddress + y * black.bytesPerRow).assumingMemoryBound(to: UInt8.self)
                for x in 0..<pixels.width { (row[4 * x + 3], other[x]) = (other[x], row[4 * x + 3]) }
            }
        }
        swapFourth()
        _ = try pixels.convertedFromCMYK(isInverted: true, profile: profile)
        swapFourth()
    }

    private func layout(for options: DecodingOptions) -> PixelFormat {
        if blackChannel != nil { return .rgba8 }
        if info.bitDepth > 8, options.pixelFormat == .rgbaHalf { return .rgbaHalf }
        if info.bitDepth > 8 {
            let needsDepth = options.colorConversion == .sRGB && profile?.needsDepth == true
            if needsDepth || options.pixelFormat == .rgba16 { return .rgba16 }
        }
        if info.hasAlpha { return .rgba8 }
        if info.isGray { return .gray8 }
        return options.pixelFormat == .rgb8 || options.pixelFormat == .gray8 ? .rgb8 : .rgba8
    }
}

extension ImageInfo {
    fileprivate init(_ header: JxlBasicInfo) {
        self.init(
            format: .jpegXL, storedSize: PixelSize(width: Int(header.xsize), height: Int(header.ysize)))
        orientation = ImageOrientation(rawValue: Int(header.orientation.rawValue)) ?? .up
        hasAlpha = header.alpha_bits > 0
        isGray = header.num_color_channels == 1
        bitDepth = Int(header.bits_per_sample)
        // libjxl computes in floating point, with 16 bytes per pixel: four channels of four bytes.
        workingMemory.fixedBytes = storedSize.byteCount(16)
    }
}

extension JxlColorEncoding {
    /// The H.273 code points of this colour space. Nil if no code points describe the colour space.
    fileprivate var codePoints: (primaries: Int, transfer: Int)? {
        let transfer = Int(transfer_function.rawValue)
        guard white_point == JXL_WHITE_POINT_D65, [1, 8, 13, 16, 18].contains(transfer) else { return nil }
        if color_space == JXL_COLOR_SPACE_GRAY { return (1, transfer) }
        guard color_space == JXL_COLOR_SPACE_RGB else { return nil }
        switch primaries {
        case JXL_PRIMARIES_SRGB: return (1, transfer)
        case JXL_PRIMARIES_2100: return (9, transfer)
        case JXL_PRIMARIES_P3: return (12, transfer)
        default: return nil
        }
    }
}
