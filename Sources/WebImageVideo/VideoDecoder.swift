import CWebImageVideo
import Foundation
import WebImageCore
import WebImageGraphics

/// Owns FFmpeg's decoder of one video, and the frame that it has decoded last.
final class VideoDecoder {
    let file: VideoFile
    private var codec: UnsafeMutablePointer<AVCodecContext>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    /// The frame of the last successful call.
    private var frame: UnsafeMutablePointer<AVFrame>?
    /// The frame that is kept while further ones are decoded.
    private var kept: UnsafeMutablePointer<AVFrame>?
    private var isAtEnd = false
    /// Whether nothing was read after the header.
    private var isAtStart = true

    private var library: VideoLibrary { file.library }

    /// The frames that are looked at for the poster.
    private static let mostTries = 12
    /// The frames, and their pixels, that are decoded where all key frames are black: at most about three seconds of time.
    private static let (mostFrames, mostFramePixels) = (300, 150_000_000)
    /// The lightness of a frame that has faded in, of ``lightness(of:)``.
    private static let fadedIn = 4.0
    /// A source of ranges is read so far for a better poster than one that is black.
    private static let mostPosterBytes = 16 << 20
    /// The time of decoding a pixel (Documentation/Costs.md).
    private static let secondsPerPixel = 20e-9

    init(_ file: VideoFile, limits: DecodingLimits) throws(WebImageError) {
        self.file = file
        HandleLedger.opened("video_decoder")
        let library = file.library
        let identifier = file.stream.pointee.codecpar.pointee.codec_id
        let name = library.codec.avcodec_get_name(identifier).map { String(cString: $0) } ?? "?"
        guard let decoder = file.transparentDecoder ?? library.codec.avcodec_find_decoder(identifier),
            let decoderName = decoder.pointee.name,
            VideoFile.decoders.contains(String(cString: decoderName))
        else {
            throw WebImageError(
                .unsupportedFormat, stage: .decode,
                underlying: .codec(library: "ffmpeg", message: "videos of the format \(name) are not decoded"),
                hint: "Convert the video to H.264, HEVC, VP9 or AV1.")
        }
        codec = library.codec.avcodec_alloc_context3(decoder)
        (packet, frame, kept) = (
            library.codec.av_packet_alloc(), library.util.av_frame_alloc(), library.util.av_frame_alloc()
        )
        guard let codec, packet != nil, frame != nil, kept != nil,
            library.codec.avcodec_parameters_to_context(codec, file.stream.pointee.codecpar) >= 0
        else { throw VideoInput.outOfMemory }
        codec.pointee.thread_count = 1
        codec.pointee.pkt_timebase = file.stream.pointee.time_base
        // A layout that hardware writes would make the decoder open a device.
        codec.pointee.get_format = { _, layouts in
            var index = 0
            while let layout = layouts?[index], layout != AV_PIX_FMT_NONE {
                let description = VideoLibrary.current?.util.av_pix_fmt_desc_get(layout)
                if let flags = description?.pointee.flags, flags & UInt64(AV_PIX_FMT_FLAG_HWACCEL) == 0 {
                    return layout
                }
                index += 1
            }
            return AV_PIX_FMT_NONE
        }
        let status = try library.withOptions([
            "codec_whitelist": VideoFile.decoders.joined(separator: ","),
            // A frame can be larger than the header says.
            "max_pixels": String(min(max(limits.maxPixels, 1), Int(Int32.max))),
        ]) { options throws(WebImageError) in
            library.codec.avcodec_open2(codec, decoder, options)
        }
        guard status >= 0 else { throw file.failure(status) }
    }

    deinit {
        library.util.av_frame_free(&kept)
        library.util.av_frame_free(&frame)
        library.codec.av_packet_free(&packet)
        library.codec.avcodec_free_context(&codec)
        HandleLedger.closed("video_decoder")
    }

    /// Decodes the picture that stands for the video: that at the time of the options, or the first that is not black.
    func poster(_ options: DecodingOptions) throws(WebImageError) -> DecodedPicture {
        if let time = options.video.time { return try picture(at: time, options) }
        try admit()
        try seek(to: 0, decodesAll: false)
        var best = -1.0
        for _ in 0..<Self.mostTries {
            guard try keepsLighter(than: &best), best < 1, file.input.readBytes < Self.mostPosterBytes else { break }
        }
        if best < 1 {
            // A video of a few seconds often has one key frame, which is black if the picture fades in. A part of a stream can
            // have no frame that is marked as one.
            try seek(to: 0, decodesAll: true)
            let count = min(Self.mostFrames, max(Self.mostFramePixels / file.info.storedSize.pixelCount, 1))
            for _ in 0..<count {
                guard try keepsLighter(than: &best), best < Self.fadedIn, file.input.readBytes < Self.mostPosterBytes
                else { break }
            }
        }
        guard best >= 0 else { throw noFrame }
        return try picture(options)
    }

    /// Decodes the frame that is shown at a time; the last frame, if the time is behind the end.
    func picture(at time: Double, _ options: DecodingOptions) throws(WebImageError) -> DecodedPicture {
        try admit()
        let target = place(of: time)
        // Containers without an index lead to any frame, and decoding begins at the key frame behind it. Then the search
        // begins earlier.
        for distance in Self.distances {
            let start = max(time - distance, 0)
            try seek(to: start, decodesAll: true)
            var first: Int64?
            while try decodeNext(), let frame {
                let shown = frame.pointee.best_effort_timestamp
                if first != nil, shown != WEBIMAGE_VIDEO_NO_TIME, shown > target { break }
                first = first ?? shown
                keep(frame)
                if shown != WEBIMAGE_VIDEO_NO_TIME, shown >= target { break }
            }
            // After an error the index may lead nowhere, so the search begins earlier too.
            if let first, first <= target || start == 0 { return try picture(options) }
        }
        throw noFrame
    }

    /// The seconds before the wanted time at which searches begin.
    private static let distances = [0, 2, 10, Double.infinity]

    private var noFrame: WebImageError {
        .badData("ffmpeg", "no frame can be decoded", hint: "Fetch the file again.")
    }

    private func admit() throws(WebImageError) {
        // A decoder cannot be interrupted while it decodes a frame.
        let pixels = file.info.storedSize.pixelCount
        try file.input.deadline.admit("decoding a video", seconds: Double(pixels) * Self.secondsPerPixel)
    }

    /// Decodes a frame, and keeps it if it is lighter than those before. Returns false at the end of the video.
    private func keepsLighter(than best: inout Double) throws(WebImageError) -> Bool {
        guard try decodeNext(), let frame else { return false }
        let light = lightness(of: frame)
        if light > best {
            best = light
            keep(frame)
        }
        return true
    }

    private func keep(_ frame: UnsafeMutablePointer<AVFrame>) {
        library.util.av_frame_unref(kept)
        library.util.av_frame_move_ref(kept, frame)
    }

    private func picture(_ options: DecodingOptions) throws(WebImageError) -> DecodedPicture {
        guard let kept else { throw noFrame }
        return try VideoPicture(kept, of: file).decoded(options)
    }

    /// From 0, for black, to 1 or more, for a frame that is not black.
    private func lightness(of frame: UnsafeMutablePointer<AVFrame>) -> Double {
        let mean = withUnsafePointer(to: library.util) { webimage_video_mean($0, frame) }
        guard mean >= 0 else { return 1 }
        let black = webimage_video_is_full_range(frame) == 0 ? 16.0 : 0
        return max(mean - black, 0) / 8
    }

    // MARK: Reading

    /// A time in seconds in the unit of the stream.
    private func place(of time: Double) -> Int64 {
        let unit = file.stream.pointee.time_base
        let start = file.stream.pointee.start_time
        let first = start == WEBIMAGE_VIDEO_NO_TIME ? 0 : start
        guard unit.num > 0, unit.den > 0 else { return first }
        let ticks = min(time, file.info.mediaDuration ?? time) * Double(unit.den) / Double(unit.num)
        guard abs(ticks) < 1e15 else { return first }
        // The frame that is shown at a time began before it. A time that was computed from a number of frames can be a
        // rounding error too small.
        return first.addingReportingOverflow(Int64((ticks + 1e-6).rounded(.down))).partialValue
    }

    /// Moves to the last key frame that is not after a time in seconds.
    private func seek(to time: Double, decodesAll: Bool) throws(WebImageError) {
        if !isAtStart || time > 0 {
            let index = file.stream.pointee.index
            // A container without an index compares the times of decoding, which are up to a second earlier.
            // A file that cannot seek is decoded from where it is.
            for start in time > 0 ? [time] : [-10, 0] {
                let place = place(of: start)
                if library.format.av_seek_frame(file.context, index, place, AVSEEK_FLAG_BACKWARD) >= 0 { break }
            }
            library.codec.avcodec_flush_buffers(codec)
        }
        try file.input.check()
        codec?.pointee.skip_frame = decodesAll ? AVDISCARD_DEFAULT : AVDISCARD_NONKEY
        file.stream.pointee.discard = decodesAll ? AVDISCARD_DEFAULT : AVDISCARD_NONKEY
        (isAtStart, isAtEnd) = (false, false)
    }

    /// Decodes the next frame into ``frame``. Returns false at the end of the video. Parts that are damaged are skipped.
    private func decodeNext() throws(WebImageError) -> Bool {
        while true {
            try file.input.check()
            let status = library.codec.avcodec_receive_frame(codec, frame)
            if status >= 0 {
                guard let frame, frame.pointee.width > 0, frame.pointee.height > 0 else { continue }
                return true
            }
            if status == -ENOMEM { throw VideoInput.outOfMemory }
            if status == Int32(WEBIMAGE_VIDEO_END) || isAtEnd { return false }
            try sendNext()
        }
    }

    private func sendNext() throws(WebImageError) {
        let status = library.format.av_read_frame(file.context, packet)
        try file.input.check()
        guard status >= 0, let packet else {
            // Also after an error: the frames that have arrived can be shown.
            isAtEnd = true
            _ = library.codec.avcodec_send_packet(codec, nil)
            return
        }
        if packet.pointee.stream_index == file.stream.pointee.index {
            _ = library.codec.avcodec_send_packet(codec, packet)
        }
        library.codec.av_packet_unref(packet)
    }
}
