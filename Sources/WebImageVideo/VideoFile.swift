import CWebImageVideo
import Foundation
import WebImageCore
import WebImageGraphics

/// Owns FFmpeg's reader of one video. `init` reads the header.
final class VideoFile {
    let library: VideoLibrary
    let input: VideoInput
    private(set) var context: UnsafeMutablePointer<AVFormatContext>?
    let stream: UnsafeMutablePointer<AVStream>
    /// What the header declares. The number of frames is that of the previews.
    private(set) var info = ImageInfo(format: .video, storedSize: PixelSize(width: 1, height: 1))
    /// The colour profile. Nil for sRGB.
    private(set) var profile: ColorProfile?

    /// The decoders that are used: the formats of cameras, of the web, and of files of the last twenty years. FFmpeg has
    /// hundreds more, which are seldom used and seldom tested.
    static let decoders = [
        "h264", "hevc", "vp8", "vp9", "libvpx", "libvpx-vp9", "libdav1d", "mpeg4", "mpeg2video", "mpeg1video", "mjpeg",
        "theora", "prores", "h263", "msmpeg4", "msmpeg4v2", "dvvideo",
    ]

    /// Opens a video, selects its stream and reads its header. Blocks while FFmpeg reads `input`.
    ///
    /// - Throws: `.badImageData` if the file is no video of a known container or is damaged; `.limitExceeded` if the picture
    ///   exceeds `options.limits`; the error of `input` if its bytes cannot be read.
    init(_ input: VideoInput, options: DecodingOptions) throws(WebImageError) {
        library = try VideoLibrary.functions()
        self.input = input
        guard let container = VideoContainer(sniffing: try input.beginning(VideoContainer.signatureLength)) else {
            throw .badData("ffmpeg", "the file is no video of a known kind")
        }
        let opened = try Self.open(input, as: container, library)
        HandleLedger.opened("video_file")
        do throws(WebImageError) {
            stream = try Self.videoStream(of: opened, input, library, limits: options.limits)
        } catch {
            // Close the file here, because Swift does not run `deinit` while `stream` has no value. If `readInfo` throws
            // below, every property has a value, and `deinit` closes the file.
            var opened: UnsafeMutablePointer<AVFormatContext>? = opened
            library.format.avformat_close_input(&opened)
            HandleLedger.closed("video_file")
            throw error
        }
        context = opened
        try readInfo(options)
    }

    deinit {
        library.format.avformat_close_input(&context)
        HandleLedger.closed("video_file")
    }

    /// Opens the container with its own reader. FFmpeg frees the context itself if this fails.
    private static func open(
        _ input: VideoInput, as container: VideoContainer, _ library: VideoLibrary
    ) throws(WebImageError) -> UnsafeMutablePointer<AVFormatContext> {
        let name =
            switch container {
            case .boxes: "mov"
            case .matroska: "matroska"
            case .avi: "avi"
            case .transportStream: "mpegts"
            case .ogg: "ogg"
            }
        guard let context = library.format.avformat_alloc_context() else { throw VideoInput.outOfMemory }
        context.pointee.pb = input.context
        context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        context.pointee.interrupt_callback = AVIOInterruptCB(
            callback: VideoInput.interruptCallback, opaque: input.opaque)
        // Refuse to open other files that the video names: parts of a movie, keys, and entries of playlists.
        context.pointee.io_open = { _, _, _, _, _ in -EACCES }
        var opened: UnsafeMutablePointer<AVFormatContext>? = context
        // Choose the reader here. Otherwise each of hundreds of readers would examine the file.
        let reader = library.format.av_find_input_format(name)
        let status = try library.withOptions([
            "protocol_whitelist": "none", "format_whitelist": "mov,matroska,avi,mpegts,ogg",
            "codec_whitelist": decoders.joined(separator: ","), "probesize": "1000000", "analyzeduration": "2000000",
            "max_streams": "64", "enable_drefs": "0", "use_absolute_path": "0",
        ]) { options throws(WebImageError) in
            library.format.avformat_open_input(&opened, "", reader, options)
        }
        guard status == 0, let opened else {
            try input.check()
            throw failure(status, library)
        }
        return opened
    }

    /// Selects the stream that FFmpeg finds best, and makes FFmpeg skip all others.
    private static func videoStream(
        of context: UnsafeMutablePointer<AVFormatContext>, _ input: VideoInput, _ library: VideoLibrary,
        limits: DecodingLimits
    ) throws(WebImageError) -> UnsafeMutablePointer<AVStream> {
        // Streams whose size is in the header are checked before their first frame is decoded for the other facts.
        for index in 0..<Int(context.pointee.nb_streams) {
            guard let parameters = context.pointee.streams[index]?.pointee.codecpar else { continue }
            if parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO { try limits.checkPixels(size(parameters)) }
            if parameters.pointee.codec_type != AVMEDIA_TYPE_VIDEO {
                context.pointee.streams[index]?.pointee.discard = AVDISCARD_ALL
            }
        }
        let status = library.format.avformat_find_stream_info(context, nil)
        try input.check()
        guard status >= 0 else { throw failure(status, library) }
        let best = library.format.av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
        guard best >= 0, let stream = context.pointee.streams[Int(best)] else {
            throw .badData("ffmpeg", "the file has no video", hint: "A file with sound only has no picture.")
        }
        for index in 0..<Int(context.pointee.nb_streams) where index != Int(best) {
            context.pointee.streams[index]?.pointee.discard = AVDISCARD_ALL
        }
        return stream
    }

    private static func size(_ parameters: UnsafeMutablePointer<AVCodecParameters>) -> PixelSize {
        PixelSize(width: Int(max(parameters.pointee.width, 0)), height: Int(max(parameters.pointee.height, 0)))
    }

    // MARK: Facts

    private var parameters: AVCodecParameters { stream.pointee.codecpar.pointee }

    /// Sets ``info`` and ``profile`` from the header of the stream.
    ///
    /// A video with a known duration counts as an animation of previews, unless the request names a time or the file is read in
    /// parts: then it is one picture.
    private func readInfo(_ options: DecodingOptions) throws(WebImageError) {
        let coded = Self.size(stream.pointee.codecpar)
        guard coded.width > 0, coded.height > 0 else { throw .badData("ffmpeg", "the video has no size") }
        try options.limits.checkPixels(coded)
        info.storedSize = shownSize(coded)
        try options.limits.checkPixels(info.storedSize)
        info.orientation = orientation
        if let layout = library.util.av_pix_fmt_desc_get(AVPixelFormat(parameters.format)) {
            info.bitDepth = Int(max(layout.pointee.comp.0.depth, 1))
            info.isGray = layout.pointee.nb_components < 3
            info.hasAlpha = layout.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0
        }
        if transparentDecoder != nil { info.hasAlpha = true }
        profile = profile(light: contentLight)
        info.hdr = profile?.hdr
        // The frames that a decoder keeps to predict others from, most of them with half of the chroma.
        info.workingMemory.fixedBytes = coded.byteCount(info.bitDepth > 8 ? 24 : 12)
        info.mediaDuration = duration
        let frames = min(
            options.video.previewFrameCount, options.limits.maxFrameCount,
            options.limits.maxAnimationPixels / info.storedSize.pixelCount,
            stream.pointee.nb_frames > 0 ? Int(clamping: stream.pointee.nb_frames) : .max)
        guard frames > 1, duration ?? 0 > 0, options.video.time == nil, !input.isInParts else { return }
        info.frameCount = frames
        info.loopCount = 0
        info.delaysMilliseconds = Array(repeating: Self.previewMilliseconds, count: frames)
    }

    /// The decoder of a WebM whose frames have alpha. The container stores it as a second picture beside each frame, which only
    /// libvpx decodes; FFmpeg's own decoders ignore it. Nil for other videos.
    var transparentDecoder: UnsafePointer<AVCodec>? {
        guard let mode = library.util.av_dict_get(stream.pointee.metadata, "alpha_mode", nil, 0),
            let value = mode.pointee.value, String(cString: value) == "1"
        else { return nil }
        switch parameters.codec_id {
        case AV_CODEC_ID_VP8: return library.codec.avcodec_find_decoder_by_name("libvpx")
        case AV_CODEC_ID_VP9: return library.codec.avcodec_find_decoder_by_name("libvpx-vp9")
        default: return nil
        }
    }

    private func profile(light: ContentLightLevel?) -> ColorProfile? {
        let transfer = Int(parameters.color_trc.rawValue)
        return ColorProfile(
            primaries: Int(parameters.color_primaries.rawValue), transfer: transfer,
            // PQ and HLG (ITU-T H.273). Other pictures do not use the light level.
            light: [16, 18].contains(transfer) ? light : nil)
    }

    /// The colour profile of a frame. Most videos state the brightest light beside their frames instead of in the header.
    func profile(of frame: UnsafeMutablePointer<AVFrame>) -> ColorProfile? {
        guard let profile, profile.hdr?.contentLight == nil,
            let side = library.util.av_frame_get_side_data(frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL),
            side.pointee.size >= MemoryLayout<AVContentLightMetadata>.size, let data = side.pointee.data
        else { return self.profile }
        return self.profile(light: Self.contentLight(data))
    }

    /// How long a preview is shown.
    private static let previewMilliseconds = 500.0

    /// The seconds of the video; nil if the file does not say and they cannot be estimated.
    private var duration: Double? {
        guard let total = context?.pointee.duration, total > 0 else { return nil }
        return Double(total) / Double(AV_TIME_BASE)
    }

    /// The size in which players show the picture: pixels that are not square make it wider or higher, never smaller.
    private func shownSize(_ coded: PixelSize) -> PixelSize {
        let shape = library.format.av_guess_sample_aspect_ratio(context, stream, nil)
        guard shape.num > 0, shape.den > 0 else { return coded }
        let ratio = Double(shape.num) / Double(shape.den)
        guard ratio > 1.0 / 32, ratio < 32 else { return coded }
        return PixelSize(
            width: Int((Double(coded.width) * max(ratio, 1)).rounded()),
            height: Int((Double(coded.height) / min(ratio, 1)).rounded()))
    }

    /// The orientation of the matrix in the header of a track. A turn by other angles than quarters is rounded to one.
    private var orientation: ImageOrientation {
        guard let data = sideData(AV_PKT_DATA_DISPLAYMATRIX, least: 36) else { return .up }
        let cells = (0..<9).map { UnsafeRawPointer(data).loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self) }
            .map(Double.init)
        // A point (x, y) is shown at (a·x + c·y, b·x + d·y).
        let (a, b, c, d) = (cells[0], cells[1], cells[3], cells[4])
        if abs(a) + abs(d) >= abs(b) + abs(c) {
            return switch (a < 0, d < 0) {
            case (false, false): .up
            case (true, false): .upMirrored
            case (true, true): .down
            case (false, true): .downMirrored
            }
        }
        return switch (b < 0, c < 0) {
        case (false, false): .leftMirrored
        case (false, true): .right
        case (true, true): .rightMirrored
        case (true, false): .left
        }
    }

    private var contentLight: ContentLightLevel? {
        let least = MemoryLayout<AVContentLightMetadata>.size
        guard let data = sideData(AV_PKT_DATA_CONTENT_LIGHT_LEVEL, least: least) else { return nil }
        return Self.contentLight(data)
    }

    private static func contentLight(_ data: UnsafePointer<UInt8>) -> ContentLightLevel {
        let light = UnsafeRawPointer(data).loadUnaligned(as: AVContentLightMetadata.self)
        return ContentLightLevel(maximum: Int(light.MaxCLL), average: Int(light.MaxFALL))
    }

    /// What the container stores beside the stream. Nil if there is none, or fewer bytes.
    private func sideData(_ type: AVPacketSideDataType, least: Int) -> UnsafePointer<UInt8>? {
        withUnsafePointer(to: library.codec) { codec in
            withUnsafePointer(to: library.format) { webimage_video_side_data(codec, $0, stream, type, least) }
        }
    }

    // MARK: Errors

    func failure(_ status: Int32) -> WebImageError { Self.failure(status, library) }

    static func failure(_ status: Int32, _ library: VideoLibrary) -> WebImageError {
        switch status {
        case -ENOMEM: return VideoInput.outOfMemory
        case Int32(WEBIMAGE_VIDEO_INVALID), Int32(WEBIMAGE_VIDEO_END), -EIO:
            return .badData("ffmpeg", "the video is damaged or incomplete", hint: "Fetch the file again.")
        default: return .badData("ffmpeg", library.words(for: status))
        }
    }
}
