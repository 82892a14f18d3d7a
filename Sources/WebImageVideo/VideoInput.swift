import CWebImageVideo
import Foundation
import WebImageCore

/// The bytes that FFmpeg reads: a buffer, parts of a video in a buffer, or a source of ranges. FFmpeg opens nothing itself.
///
/// Callbacks of FFmpeg have its address, so it must outlive what reads from it.
final class VideoInput {
    enum Origin {
        /// Bytes that outlive the input.
        case memory(UnsafeRawBufferPointer)
        /// Bytes that outlive the input, and their table.
        case parts(UnsafeRawBufferPointer, VideoParts)
        case ranges(VideoByteSource)

        /// The bytes of a file, which outlive the input.
        init(_ bytes: UnsafeRawBufferPointer) { self = VideoParts(bytes).map { .parts(bytes, $0) } ?? .memory(bytes) }

        var byteCount: Int {
            switch self {
            case .memory(let bytes): bytes.count
            case .parts(_, let parts): parts.byteCount
            case .ranges(let source): source.byteCount
            }
        }
    }

    /// The time of the current call.
    var deadline: DecodeDeadline
    /// The error of a read, which FFmpeg knows only as a number.
    private(set) var failure: WebImageError?
    /// The bytes that were read so far.
    private(set) var readBytes = 0
    private let origin: Origin
    private let library: VideoLibrary
    private let mostBytes: Int
    private var offset = 0
    private(set) var context: UnsafeMutablePointer<AVIOContext>?

    /// More would let one read of a source take longer, and read more bytes that are not used.
    private static let bufferBytes: Int32 = 32 << 10

    init(
        _ origin: Origin, _ library: VideoLibrary, limits: DecodingLimits, deadline: DecodeDeadline
    ) throws(WebImageError) {
        (self.origin, self.library, self.deadline) = (origin, library, deadline)
        // A video that is read in parts can be larger than the limit, which then counts what is read.
        mostBytes = limits.maxEncodedBytes
        switch origin {
        case .memory(let bytes), .parts(let bytes, _): try limits.checkEncodedBytes(bytes.count)
        case .ranges: break
        }
        guard let buffer = library.util.av_malloc(Int(Self.bufferBytes)) else { throw Self.outOfMemory }
        context = library.format.avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), Self.bufferBytes, 0,
            Unmanaged.passUnretained(self).toOpaque(), Self.readCallback, nil, Self.seekCallback)
        guard context != nil else {
            library.util.av_free(buffer)
            throw Self.outOfMemory
        }
        HandleLedger.opened("video_input")
    }

    deinit {
        guard let context else { return }
        // FFmpeg may have replaced the buffer.
        library.util.av_free(context.pointee.buffer)
        library.format.avio_context_free(&self.context)
        HandleLedger.closed("video_input")
    }

    static let outOfMemory = WebImageError(
        .outOfMemory, stage: .decode, underlying: .codec(library: "ffmpeg", message: "out of memory"))

    /// Whether bytes of the video are missing. Then only the poster can be decoded, because others are elsewhere.
    var isInParts: Bool { if case .parts = origin { true } else { false } }

    /// Throws the error of a read, or that of the time.
    func check() throws(WebImageError) {
        if let failure { throw failure }
        try deadline.check()
    }

    /// Reads the beginning of the file without moving the place of the reader.
    func beginning(_ count: Int) throws(WebImageError) -> Data {
        let range = 0..<min(count, origin.byteCount)
        guard !range.isEmpty else { return Data() }
        switch origin {
        case .memory(let bytes): return Data(bytes[range])
        // The first part begins at the start, and has no place in front of it.
        case .parts(let bytes, let parts): return Data(bytes.prefix(min(parts.parts[0].video.count, range.count)))
        case .ranges(let source): return try source.read(range)
        }
    }

    // MARK: Callbacks

    private static func input(_ opaque: UnsafeMutableRawPointer?) -> VideoInput? {
        opaque.map { Unmanaged<VideoInput>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let readCallback:
        @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, Int32) -> Int32 = {
            opaque, target, count in
            guard let input = input(opaque), let target, count > 0 else { return -EINVAL }
            return input.read(into: UnsafeMutableRawPointer(target), Int(count))
        }

    private static let seekCallback: @convention(c) (UnsafeMutableRawPointer?, Int64, Int32) -> Int64 = {
        opaque, offset, origin in
        guard let input = input(opaque) else { return Int64(-EINVAL) }
        if origin & AVSEEK_SIZE != 0 { return Int64(input.origin.byteCount) }
        let base: Int64
        switch origin & ~AVSEEK_FORCE {
        case SEEK_SET: base = 0
        case SEEK_CUR: base = Int64(input.offset)
        case SEEK_END: base = Int64(input.origin.byteCount)
        default: return Int64(-EINVAL)
        }
        let (place, overflow) = base.addingReportingOverflow(offset)
        guard !overflow, place >= 0 else { return Int64(-EINVAL) }
        input.offset = Int(place)
        return place
    }

    /// Returns 1 if FFmpeg must stop.
    static let interruptCallback: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { opaque in
        guard let input = input(opaque) else { return 1 }
        return input.failure != nil || input.deadline.hasPassed ? 1 : 0
    }

    var opaque: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private func read(into target: UnsafeMutableRawPointer, _ count: Int) -> Int32 {
        guard offset < origin.byteCount else { return Int32(WEBIMAGE_VIDEO_END) }
        let range = offset..<min(offset + min(count, Int(Self.bufferBytes)), origin.byteCount)
        do throws(WebImageError) {
            try check()
            let got: Int
            switch origin {
            case .memory(let bytes):
                target.copyMemory(from: bytes.baseAddress! + offset, byteCount: range.count)
                got = range.count
            case .parts(let bytes, let parts):
                guard let (place, count) = parts.place(of: offset) else {
                    if parts.isFinal { return Int32(WEBIMAGE_VIDEO_END) }
                    throw .missingVideoBytes(range)
                }
                got = min(count, range.count)
                target.copyMemory(from: bytes.baseAddress! + place, byteCount: got)
            case .ranges(let source):
                guard readBytes <= mostBytes else {
                    throw .limit(.encodedBytes, actual: readBytes, allowed: mostBytes)
                }
                let data = try source.read(range).prefix(range.count)
                guard !data.isEmpty else { throw .badData("video", "the source returned no bytes") }
                data.withUnsafeBytes { target.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
                got = data.count
            }
            offset += got
            readBytes += got
            return Int32(got)
        } catch {
            failure = error
            return -EIO
        }
    }
}
