import CWebImageVideo
import WebImageCore
import WebImageGraphics

/// One decoded frame, whose colours become red, green and blue.
struct VideoPicture {
    private let frame: UnsafeMutablePointer<AVFrame>
    private let file: VideoFile

    /// - Parameter frame: Must exist as long as this value.
    init(_ frame: UnsafeMutablePointer<AVFrame>, of file: VideoFile) { (self.frame, self.file) = (frame, file) }

    private var size: PixelSize { PixelSize(width: Int(frame.pointee.width), height: Int(frame.pointee.height)) }

    /// The pixels of the frame, not yet turned. Their shape can differ from the shown one.
    func decoded(_ options: DecodingOptions) throws(WebImageError) -> DecodedPicture {
        let library = file.library
        try options.limits.checkPixels(size)
        let layout = AVPixelFormat(frame.pointee.format)
        guard library.scale.sws_isSupportedInput(layout) != 0 else { throw unsupported("its pixels") }
        let matrix = try matrix()
        let target = target(for: options)
        let pixels = try PixelBuffer(width: size.width, height: size.height, format: target)
        let format =
            switch target {
            case .rgba16: AV_PIX_FMT_RGBA64LE
            case .rgba8: AV_PIX_FMT_RGBA
            default: AV_PIX_FMT_BGRA
            }
        // The most exact rows of swscale: without these flags it takes the nearest sample of chroma, and rounds down.
        let flags = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT
        let status = withUnsafePointer(to: library.util) { util in
            withUnsafePointer(to: library.scale) { scale in
                webimage_video_convert(
                    util, scale, frame, matrix, flags, format, pixels.baseAddress.assumingMemoryBound(to: UInt8.self),
                    Int32(clamping: pixels.bytesPerRow))
            }
        }
        guard status == 0 else { throw file.failure(status) }
        return DecodedPicture(
            pixels: pixels, orientation: file.info.orientation, profile: file.profile(of: frame),
            hasAlpha: file.info.hasAlpha,
            format: .video)
    }

    private func target(for options: DecodingOptions) -> PixelFormat {
        if file.info.bitDepth > 8 {
            let needsDepth = options.colorConversion == .sRGB && file.profile?.needsDepth == true
            if needsDepth || options.pixelFormat.bitsPerComponent > 8 { return .rgba16 }
        }
        return file.info.hasAlpha || options.pixelFormat != .bgra8Premultiplied ? .rgba8 : .bgra8Premultiplied
    }

    /// The matrix between luma with chroma and red, green and blue: its code in H.273. A video that names none has that of
    /// its resolution, as in players.
    private func matrix() throws(WebImageError) -> Int32 {
        var code = frame.pointee.colorspace
        if code == AVCOL_SPC_UNSPECIFIED { code = file.stream.pointee.codecpar.pointee.color_space }
        switch code {
        case AVCOL_SPC_UNSPECIFIED, AVCOL_SPC_RESERVED:
            return size.width >= 1280 || size.height > 576 ? SWS_CS_ITU709 : SWS_CS_ITU601
        case AVCOL_SPC_BT2020_CL: return SWS_CS_BT2020
        case AVCOL_SPC_RGB, AVCOL_SPC_BT709, AVCOL_SPC_FCC, AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M, AVCOL_SPC_SMPTE240M,
            AVCOL_SPC_BT2020_NCL:
            return Int32(code.rawValue)
        default: throw unsupported("the matrix \(code.rawValue) of its colours")
        }
    }

    private func unsupported(_ what: String) -> WebImageError {
        WebImageError(
            .unsupportedFormat, stage: .decode,
            underlying: .codec(library: "ffmpeg", message: "\(what) cannot be shown"),
            hint: "Convert the video to H.264.")
    }
}
