import CWebImageJXL
import Foundation
import WebImageCore

/// Owns one libjxl decoder. The decoder receives the file in pieces, so that the deadline can be checked between the
/// pieces.
final class JXLDecoder {
    let libjxl: JXLFunctions
    let handle: OpaquePointer
    private let bytes: UnsafeRawBufferPointer
    /// The byte offset of the next piece.
    private var offset = 0
    private var hasInput = false
    private let events: Int32

    /// Creates a decoder. `bytes` must outlive the decoder, because the decoder reads them without a copy.
    init(_ bytes: UnsafeRawBufferPointer, events: JxlDecoderStatus...) throws(WebImageError) {
        libjxl = try JXLLibrary.functions()
        guard let handle = libjxl.JxlDecoderCreate(nil) else { throw .badData("libjxl", "cannot make a decoder") }
        self.handle = handle
        self.bytes = bytes
        self.events = Int32(events.reduce(0) { $0 | $1.rawValue })
        HandleLedger.opened("jxl_decoder")
        try configure()
    }

    private func configure() throws(WebImageError) {
        try check(libjxl.JxlDecoderSubscribeEvents(handle, events))
        try check(libjxl.JxlDecoderSetKeepOrientation(handle, 1))
        try check(libjxl.JxlDecoderSetUnpremultiplyAlpha(handle, 1))
    }

    deinit {
        libjxl.JxlDecoderDestroy(handle)
        HandleLedger.closed("jxl_decoder")
    }

    /// Decodes until the next event. Throws if the file ends too early.
    func next(_ deadline: DecodeDeadline) throws(WebImageError) -> JxlDecoderStatus {
        while true {
            let status = libjxl.JxlDecoderProcessInput(handle)
            switch status {
            case JXL_DEC_ERROR: throw .badData("libjxl", "the codestream is damaged", hint: "Fetch the file again.")
            case JXL_DEC_NEED_MORE_INPUT:
                try deadline.check()
                try feed()
            default: return status
            }
        }
    }

    private func feed() throws(WebImageError) {
        let isFirst = !hasInput
        let left = hasInput ? libjxl.JxlDecoderReleaseInput(handle) : 0
        hasInput = true
        offset -= left
        let count = min(left + Self.pieceBytes, bytes.count - offset)
        guard count > left || isFirst, count > 0 else {
            throw .badData("libjxl", "the file ends too early", hint: "Fetch the file again.")
        }
        let start = bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: UInt8.self)
        try check(libjxl.JxlDecoderSetInput(handle, start, count))
        offset += count
        if offset == bytes.count { libjxl.JxlDecoderCloseInput(handle) }
    }

    private static let pieceBytes = 256 << 10

    /// Restarts the decoder and skips the first `count` frames.
    ///
    /// Calls `JxlDecoderReset` and not `JxlDecoderRewind`. After `JxlDecoderRewind`, the decoder reports no frames for
    /// some animations.
    func restart(skipping count: Int) throws(WebImageError) {
        libjxl.JxlDecoderReset(handle)
        offset = 0
        hasInput = false
        try configure()
        libjxl.JxlDecoderSkipFrames(handle, count)
    }

    /// Returns the header of the file. Call this method after the event `JXL_DEC_BASIC_INFO`.
    func basicInfo() throws(WebImageError) -> JxlBasicInfo {
        var info = JxlBasicInfo()
        try check(libjxl.JxlDecoderGetBasicInfo(handle, &info))
        return info
    }

    /// Returns the number of the first extra channel with black ink; nil if the file has none. Call this method after the
    /// event `JXL_DEC_BASIC_INFO`.
    func blackChannel(of info: JxlBasicInfo) throws(WebImageError) -> Int? {
        for index in 0..<Int(info.num_extra_channels) {
            var channel = JxlExtraChannelInfo()
            try check(libjxl.JxlDecoderGetExtraChannelInfo(handle, index, &channel))
            if channel.type == JXL_CHANNEL_BLACK { return index }
        }
        return nil
    }

    /// Sets the buffer that receives an extra channel of the frame, with the same rules as ``setOutput(_:)``.
    func setOutput(_ pixels: PixelBuffer, ofExtraChannel index: Int) throws(WebImageError) {
        var format = JxlPixelFormat(
            num_channels: 1, data_type: JXL_TYPE_UINT8, endianness: JXL_NATIVE_ENDIAN, align: 64)
        try check(
            libjxl.JxlDecoderSetExtraChannelBuffer(
                handle, &format, pixels.baseAddress, pixels.byteCount, UInt32(index)))
    }

    /// Returns the frame's duration in ticks of the file's time base. Call this method after the event `JXL_DEC_FRAME`.
    func frameDuration() throws(WebImageError) -> UInt32 {
        var header = JxlFrameHeader()
        try check(libjxl.JxlDecoderGetFrameHeader(handle, &header))
        return header.duration
    }

    /// Sets the buffer that receives the pixels of the frame. The buffer must exist until the frame is decoded. Call
    /// this method after the event `JXL_DEC_NEED_IMAGE_OUT_BUFFER`.
    func setOutput(_ pixels: PixelBuffer) throws(WebImageError) {
        // Rows of a pixel buffer start at multiples of 64 bytes.
        var format = JxlPixelFormat(
            num_channels: UInt32(pixels.format.channelCount),
            data_type: pixels.format.isFloatingPoint
                ? JXL_TYPE_FLOAT16 : pixels.format.bitsPerComponent == 16 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8,
            endianness: JXL_NATIVE_ENDIAN, align: 64)
        try check(libjxl.JxlDecoderSetImageOutBuffer(handle, &format, pixels.baseAddress, pixels.byteCount))
    }

    /// Returns the colour space. Nil if the file has an ICC profile instead. Call this method after the event
    /// `JXL_DEC_COLOR_ENCODING`.
    func encodedColor() -> JxlColorEncoding? {
        var encoding = JxlColorEncoding()
        let status = withUnsafePointer(to: libjxl) { webimage_jxl_encoded_color($0, handle, &encoding) }
        return status == JXL_DEC_SUCCESS ? encoding : nil
    }

    /// Returns the ICC profile of the pixels. This is the file's profile, or a profile that libjxl creates from the
    /// colour space.
    func profile(_ budget: inout AncillaryBudget) throws(WebImageError) -> ColorProfile? {
        var count = 0
        let sizeStatus = withUnsafePointer(to: libjxl) { webimage_jxl_profile_size($0, handle, &count) }
        guard sizeStatus == JXL_DEC_SUCCESS, count > 0 else { return nil }
        try budget.take(count)
        var data = Data(count: count)
        let status = data.withUnsafeMutableBytes { bytes in
            withUnsafePointer(to: libjxl) {
                webimage_jxl_profile($0, handle, bytes.bindMemory(to: UInt8.self).baseAddress, count)
            }
        }
        return status == JXL_DEC_SUCCESS ? ColorProfile(iccData: data) : nil
    }

    private func check(_ status: JxlDecoderStatus) throws(WebImageError) {
        guard status == JXL_DEC_SUCCESS else { throw .badData("libjxl", "status \(status.rawValue)") }
    }
}
