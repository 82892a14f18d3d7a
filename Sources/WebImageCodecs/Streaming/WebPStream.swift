import CWebImageWebP
import Foundation
import WebImageCore
import WebImageGraphics

/// Decodes a WebP that arrives in pieces. Shows the rows of a still that have arrived. Shows the first frame of an
/// animation as soon as this frame is complete.
///
/// libwebp reads the bytes of `data` without a copy. The orientation can be stored after the picture. Until the
/// orientation arrives, previews are not rotated.
final class WebPStream: PictureStream {
    private let options: DecodingOptions
    private var clock: WorkClock
    private var data = Data()
    /// The chunks that were read so far. Nil until the header of the bitstream has arrived.
    private var container: WebPContainer?
    private var orientation = ImageOrientation.up
    private var rows: WebPPartialRows?
    private var firstFrame: DecodedPicture?
    private var isDone = false
    /// The offset of the next chunk to scan.
    private var offset = WebPContainer.headerLength

    init(_ options: DecodingOptions) {
        self.options = options
        clock = WorkClock(options.limits)
    }

    var info: ImageInfo? { container?.info(orientation: orientation) }
    var revision: Int { isDone ? .max : firstFrame != nil ? 1 : rows?.rowCount ?? 0 }

    func append(_ bytes: Data, finished: Bool) throws(WebImageError) {
        guard !isDone else { return }
        data.append(bytes)
        try clock.measure { () throws(WebImageError) in
            if container == nil { try readHeader(isLast: finished) }
            guard let container else { return }
            if container.isAnimated { try readFirstFrame() } else { try readRows() }
        }
        if finished { try finish() }
    }

    func snapshot() throws(WebImageError) -> PartialPicture? {
        guard let container else { return nil }
        if let firstFrame {
            return PartialPicture(
                picture: firstFrame, fullSize: container.canvas, rowCount: firstFrame.pixels.height, isWhole: isDone)
        }
        guard let rows, rows.rowCount > 0 else { return nil }
        return PartialPicture(
            picture: container.picture(try rows.shownPixels(), data, hasAlpha: container.hasAlpha),
            fullSize: container.canvas,
            rowCount: rows.rowCount, isWhole: isDone)
    }

    private func readHeader(isLast: Bool) throws(WebImageError) {
        guard data.count >= 30 || isLast else { return }
        let container: WebPContainer? = try data.withFileBytes { bytes throws(WebImageError) in
            // Wait until all chunks before the bitstream have arrived. One of these chunks can be a colour profile,
            // which affects the decode.
            guard isLast || Self.hasReachedPicture(bytes, from: &offset) else { return nil }
            return try WebPContainer(bytes, limits: options.limits)
        }
        guard let container else { return }
        self.container = container
        orientation = container.orientation(in: data)
        offset = WebPContainer.headerLength
    }

    /// Moves `offset` to the first chunk with pixels, which is a bitstream or an animation frame. Returns whether the
    /// header of this chunk has arrived.
    private static func hasReachedPicture(_ bytes: UnsafeRawBufferPointer, from offset: inout Int) -> Bool {
        while let tag = bytes.tag(at: offset), let length = bytes.littleEndian32(at: offset + 4) {
            switch tag {
            case "VP8 ", "VP8L": return bytes.range(at: offset + 8, count: 16) != nil
            case "ANMF": return true
            default: offset += 8 + length + length % 2
            }
        }
        return false
    }

    private func readRows() throws(WebImageError) {
        if rows == nil, let container {
            rows = try data.withFileBytes { bytes throws(WebImageError) in
                try WebPPartialRows(bytes, container, options)
            }
        }
        try data.withFileBytes { bytes throws(WebImageError) in try rows?.update(bytes) }
    }

    private func readFirstFrame() throws(WebImageError) {
        guard firstFrame == nil else { return }
        try data.withFileBytes { bytes throws(WebImageError) in
            while let tag = bytes.tag(at: offset), let length = bytes.littleEndian32(at: offset + 4),
                bytes.range(at: offset + 8, count: length) != nil
            {
                offset += 8 + length + length % 2
                guard tag == "ANMF" else { continue }
                let container = try WebPContainer(bytes, limits: options.limits)
                guard !container.frames.isEmpty else { continue }
                self.container = container
                firstFrame = try ImageWebPCoder.firstFrame(bytes, container, data, options)
                return
            }
        }
    }

    private func finish() throws(WebImageError) {
        let container = try data.withFileBytes { bytes throws(WebImageError) in
            try WebPContainer(bytes, limits: options.limits)
        }
        self.container = container
        orientation = container.orientation(in: data)
        if container.isAnimated {
            guard firstFrame != nil else { throw ImageWebPCoder.noFrames }
            firstFrame?.orientation = orientation
        } else {
            guard rows?.isWhole == true else { throw .libwebp(VP8_STATUS_NOT_ENOUGH_DATA) }
        }
        isDone = true
    }
}

/// Owns one incremental decoder of libwebp and the buffer to which it writes pixels.
private final class WebPPartialRows {
    /// The rows with straight alpha. As soon as the picture is whole, its colours are multiplied by alpha if the format
    /// requires it.
    private let pixels: PixelBuffer
    private let multiplies: Bool
    private(set) var rowCount = 0
    private(set) var isWhole = false
    private let handle: OpaquePointer
    /// The decoder's configuration. It is allocated on the heap, because libwebp stores its address.
    private let configuration: UnsafeMutablePointer<WebPDecoderConfig>

    init(
        _ bytes: UnsafeRawBufferPointer, _ container: WebPContainer, _ options: DecodingOptions
    ) throws(WebImageError) {
        let features = try WebPFeatures(bytes)
        let scaled = Self.roughSize(container, options)
        pixels = try container.stillBuffer(for: options, scaledSize: scaled, isLossless: features.isLossless)
        multiplies = container.hasAlpha && pixels.format.isPremultiplied
        let target = WebPDecoding.Target(pixels: pixels, scaledSize: scaled)
        let config = try WebPDecoding.configuration(target, size: scaled ?? features.size)
        configuration = .allocate(capacity: 1)
        configuration.initialize(to: config)
        guard let handle = WebPIDecode(nil, 0, configuration) else {
            configuration.deallocate()
            throw .badData("libwebp", "cannot make a decoder")
        }
        self.handle = handle
        HandleLedger.opened("webp_decoder")
    }

    /// Returns the size to which libwebp scales the rows; nil for no scaling. If the file can contain an orientation
    /// that has not arrived yet, the size is large enough in both cases: with and without a rotation by a quarter turn.
    private static func roughSize(_ container: WebPContainer, _ options: DecodingOptions) -> PixelSize? {
        let upright = container.roughSize(for: options, orientation: .up)
        guard container.declaresMetadata else { return upright }
        guard let upright, let turned = container.roughSize(for: options, orientation: .right) else { return nil }
        return PixelSize(width: max(upright.width, turned.width), height: max(upright.height, turned.height))
    }

    deinit {
        WebPIDelete(handle)
        WebPFreeDecBuffer(&configuration.pointee.output)
        configuration.deallocate()
        HandleLedger.closed("webp_decoder")
    }

    /// The rows so far. libwebp copies colours from earlier rows with straight alpha, so these rows must not change before
    /// the picture is whole.
    func shownPixels() throws(WebImageError) -> PixelBuffer {
        guard multiplies, !isWhole else { return pixels }
        let copy = try pixels.copied()
        copy.premultiplyInPlace(rows: 0..<rowCount)
        return copy
    }

    /// Decodes the new bytes. `bytes` must contain all bytes so far, not only the new bytes.
    func update(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        guard !isWhole else { return }
        let status = WebPIUpdate(handle, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        var last: Int32 = 0
        if WebPIDecGetRGB(handle, &last, nil, nil, nil) != nil { rowCount = Int(last) }
        switch status {
        case VP8_STATUS_OK:
            rowCount = pixels.height
            isWhole = true
            if multiplies { pixels.premultiplyInPlace(rows: 0..<rowCount) }
        case VP8_STATUS_SUSPENDED, VP8_STATUS_NOT_ENOUGH_DATA: break
        default: throw .libwebp(status)
        }
    }
}
