import CWebImageJXL
import Foundation
import WebImageCore
import WebImageGraphics

/// Owns one libjxl encoder.
final class JXLEncoder {
    let libjxl: JXLFunctions
    let handle: OpaquePointer

    init() throws(WebImageError) {
        libjxl = try JXLLibrary.functions()
        guard let handle = libjxl.JxlEncoderCreate(nil) else { throw .cannotEncode("libjxl", "cannot make an encoder") }
        self.handle = handle
        HandleLedger.opened("jxl_encoder")
    }

    deinit {
        libjxl.JxlEncoderDestroy(handle)
        HandleLedger.closed("jxl_encoder")
    }

    func encode(_ image: Image, options: EncodingOptions) throws(WebImageError) -> Data {
        try admit(image.pixelSize)
        let pixels = try Self.pixels(try image.pixelsToEncode(options), hasAlpha: image.hasAlpha)
        try describe(pixels, image.colorProfile, options)
        try add(pixels, try frameSettings(options))
        libjxl.JxlEncoderCloseInput(handle)
        return try output()
    }

    /// Encodes an animation. After the first frame, only the rectangle that changed is written; it replaces the pixels of
    /// the frame before. Two frames are in memory at a time, and the copies that libjxl makes of one.
    ///
    /// - Parameter writesAlpha: Whether the file has an alpha channel. It is part of the header, before all frames.
    /// - Returns: Nil if a frame has alpha although `writesAlpha` is false.
    func encode(
        _ animation: JXLFrames, options: EncodingOptions, writesAlpha: Bool
    ) throws(WebImageError) -> Data? {
        var frames = FrameEncoding(options: options, frame: animation.frame)
        // The header counts milliseconds.
        var clock = FrameClock(unitsPerSecond: 1000, limit: Int(Int32.max))
        var before: PixelBuffer?
        var file = Data()
        for index in 0..<animation.count {
            let next = try frames.next(index, keepsDepth: true)
            guard writesAlpha || !next.hasAlpha else { return nil }
            if before == nil {
                let whole = try Self.pixels(next.pixels, hasAlpha: writesAlpha)
                try describe(whole, next.profile, options, loopCount: animation.loopCount)
            }
            let rectangle = before.map { FrameRectangle(from: $0, to: next.pixels) } ?? .whole(next.pixels)
            try admit(PixelSize(width: rectangle.x.count, height: rectangle.y.count))
            let settings = try frameSettings(options)
            // A frame of no duration would be a layer of the next one.
            let milliseconds = max(1, clock.next(next.duration))
            var header = frameHeader(rectangle, milliseconds: milliseconds, hasAlpha: writesAlpha)
            try check(libjxl.JxlEncoderSetFrameHeader(settings, &header))
            try add(try Self.pixels(try rectangle.cut(from: next.pixels), hasAlpha: writesAlpha), settings)
            if index == animation.count - 1 { libjxl.JxlEncoderCloseInput(handle) }
            file.append(try output())
            before = next.pixels
        }
        return file
    }

    /// libjxl cannot be interrupted while it encodes.
    private func admit(_ size: PixelSize) throws(WebImageError) {
        try WorkBudget.current?.admit(
            "encoding JPEG XL", seconds: Double(size.pixelCount) * Self.secondsPerPixel)
    }

    private func frameSettings(_ options: EncodingOptions) throws(WebImageError) -> OpaquePointer {
        guard let settings = libjxl.JxlEncoderFrameSettingsCreate(handle, nil) else { throw failure }
        // With libjxl's default effort of 7, encoding a photo takes seconds. With effort 4, encoding is much faster,
        // and the files are only a few per cent larger.
        try check(libjxl.JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, 4))
        if options.lossless {
            try check(libjxl.JxlEncoderSetFrameLossless(settings, 1))
        } else {
            try check(libjxl.JxlEncoderSetFrameDistance(settings, Self.distance(options.quality)))
        }
        return settings
    }

    private func frameHeader(_ rectangle: FrameRectangle, milliseconds: Int, hasAlpha: Bool) -> JxlFrameHeader {
        var header = JxlFrameHeader()
        libjxl.JxlEncoderInitFrameHeader(&header)
        header.duration = UInt32(clamping: milliseconds)
        header.layer_info.have_crop = 1
        header.layer_info.crop_x0 = Int32(rectangle.x.lowerBound)
        header.layer_info.crop_y0 = Int32(rectangle.y.lowerBound)
        header.layer_info.xsize = UInt32(rectangle.x.count)
        header.layer_info.ysize = UInt32(rectangle.y.count)
        // The next frame is drawn over the canvas that this one leaves, which is stored with the number 1.
        header.layer_info.save_as_reference = 1
        header.layer_info.blend_info.blendmode = JXL_BLEND_REPLACE
        header.layer_info.blend_info.source = 1
        header.layer_info.blend_info.alpha = 0
        return header
    }

    private func add(_ pixels: PixelBuffer, _ settings: OpaquePointer) throws(WebImageError) {
        var format = JxlPixelFormat(
            num_channels: UInt32(pixels.format.channelCount),
            data_type: pixels.format.bitsPerComponent == 16 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8,
            endianness: JXL_NATIVE_ENDIAN, align: 64)
        try check(libjxl.JxlEncoderAddImageFrame(settings, &format, pixels.baseAddress, pixels.byteCount))
    }

    /// The brightest light that the header declares, in nits.
    ///
    /// libjxl 0.7 declares the 255 nits of sRGB if its caller sets nothing, also for PQ. Without a known number, declare the
    /// end of the scale of PQ, or the display that HLG is defined for, as later versions do. Readers take these numbers for
    /// unknown ones (``JXLPictures``), so a known light has a number beside them. The header stores half-precision numbers,
    /// which have steps of 8 at the end of the scale.
    private static func light(_ known: ContentLightLevel?, _ transfer: HDRDescription.Transfer) -> Float {
        let most = transfer == .perceptualQuantizer ? 10_000 : 1_000
        guard let nits = known?.maximum else { return Float(most) }
        return Float(nits == 255 ? 256 : min(max(nits, 1), most - 8))
    }

    /// The time of encoding a pixel: above that of noise (Documentation/Costs.md). A photo takes a sixth of it.
    private static let secondsPerPixel = 150e-9

    /// - Parameter loopCount: The number of plays of an animation, 0 for ever. Nil for a still.
    private func describe(
        _ pixels: PixelBuffer, _ colors: ColorProfile?, _ options: EncodingOptions, loopCount: Int? = nil
    ) throws(WebImageError) {
        var info = JxlBasicInfo()
        libjxl.JxlEncoderInitBasicInfo(&info)
        info.xsize = UInt32(pixels.width)
        info.ysize = UInt32(pixels.height)
        info.bits_per_sample = UInt32(pixels.format.bitsPerComponent)
        info.num_color_channels = pixels.format == .gray8 ? 1 : 3
        info.orientation = JxlOrientation(rawValue: UInt32(options.metadata.orientation.rawValue))
        info.uses_original_profile = options.lossless ? 1 : 0
        if pixels.format.hasAlpha {
            info.alpha_bits = info.bits_per_sample
            info.num_extra_channels = 1
        }
        if let loopCount {
            info.have_animation = 1
            info.animation.tps_numerator = 1000
            info.animation.tps_denominator = 1
            info.animation.num_loops = UInt32(clamping: loopCount)
        }
        let profile = colors?.matching(pixels.format)
        if let transfer = profile?.hdr?.transfer {
            info.intensity_target = Self.light(profile?.contentLight, transfer)
        }
        try check(libjxl.JxlEncoderSetBasicInfo(handle, &info))
        if let codes = profile?.codePoints, var color = JxlColorEncoding(codes, isGray: pixels.format == .gray8) {
            try check(libjxl.JxlEncoderSetColorEncoding(handle, &color))
        } else if let profile {
            let status = profile.iccData.withUnsafeBytes {
                libjxl.JxlEncoderSetICCProfile(handle, $0.bindMemory(to: UInt8.self).baseAddress, $0.count)
            }
            try check(status)
        } else {
            var sRGB = JxlColorEncoding()
            libjxl.JxlColorEncodingSetToSRGB(&sRGB, pixels.format == .gray8 ? 1 : 0)
            try check(libjxl.JxlEncoderSetColorEncoding(handle, &sRGB))
        }
    }

    /// Converts pixels to a layout that libjxl accepts. The layout has straight alpha, or no alpha channel if the image
    /// is opaque.
    private static func pixels(_ pixels: PixelBuffer, hasAlpha: Bool) throws(WebImageError) -> PixelBuffer {
        switch pixels.format {
        case .bgra8Premultiplied, .rgba8: try pixels.converted(to: hasAlpha ? .rgba8 : .rgb8, isOpaque: !hasAlpha)
        case .rgb8, .gray8, .rgba16: pixels
        case .rgbaHalf: try pixels.converted(to: .rgba16)
        }
    }

    /// Returns the libjxl distance for a quality. The tool cjxl maps quality to distance in the same way. A quality
    /// near 0.9 is visually lossless.
    private static func distance(_ quality: Double) -> Float {
        let percent = min(max(quality, 0), 1) * 100
        let distance =
            percent >= 30 ? 0.1 + (100 - percent) * 0.09 : 6.4 + pow(2.5, (30 - percent) / 5) / 6.25
        // libjxl refuses distances over 15.
        return Float(min(distance, 15))
    }

    /// Returns the bytes of the frames so far.
    func output() throws(WebImageError) -> Data {
        var file = Data()
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            var status = JXL_ENC_ERROR
            let written = piece.withUnsafeMutableBufferPointer { buffer -> Int in
                var next = buffer.baseAddress
                var left = buffer.count
                status = libjxl.JxlEncoderProcessOutput(handle, &next, &left)
                return buffer.count - left
            }
            file.append(contentsOf: piece[..<written])
            if status == JXL_ENC_SUCCESS { return file }
            guard status == JXL_ENC_NEED_MORE_OUTPUT else { throw failure }
        }
    }

    func check(_ status: JxlEncoderStatus) throws(WebImageError) {
        guard status == JXL_ENC_SUCCESS else { throw failure }
    }

    var failure: WebImageError {
        .cannotEncode("libjxl", "encoder error \(libjxl.JxlEncoderGetError(handle).rawValue)")
    }
}

/// The frames of an animation that is encoded.
struct JXLFrames {
    var count: Int
    /// The number of plays; 0 for ever.
    var loopCount: Int
    var frame: (Int) throws(WebImageError) -> ImageFrame
}

extension JxlColorEncoding {
    /// Creates the colour space of H.273 code points. Returns nil if libjxl cannot express them.
    fileprivate init?(_ codes: (primaries: Int, transfer: Int), isGray: Bool) {
        let known = [1: JXL_PRIMARIES_SRGB, 9: JXL_PRIMARIES_2100, 12: JXL_PRIMARIES_P3]
        guard let primaries = known[codes.primaries], [1, 8, 13, 16, 18].contains(codes.transfer) else { return nil }
        self.init()
        color_space = isGray ? JXL_COLOR_SPACE_GRAY : JXL_COLOR_SPACE_RGB
        white_point = JXL_WHITE_POINT_D65
        self.primaries = primaries
        transfer_function = JxlTransferFunction(rawValue: UInt32(codes.transfer))
        rendering_intent = JXL_RENDERING_INTENT_RELATIVE
    }
}
