import Foundation
import WebImageCore
import WebImageGraphics

/// Decodes a GIF that arrives in pieces. Shows the first frame as soon as this frame is complete. Scans each byte once
/// while the file arrives.
final class GIFStream: PictureStream {
    private enum Position {
        case header
        /// The next byte is the introducer byte of a block.
        case block
        /// The next byte is the length byte of a data block. The data block belongs to an image or to an extension.
        case dataBlock(isImage: Bool)
        case end
    }

    private let options: DecodingOptions
    private var clock: WorkClock
    private var data = Data()
    private var position = Position.header
    private var offset = 0
    private var frameCount = 0
    private var screen = PixelSize(width: 0, height: 0)
    private var first: DecodedPicture?
    private var isDone = false
    private(set) var info: ImageInfo?

    init(_ options: DecodingOptions) {
        self.options = options
        clock = WorkClock(options.limits)
    }

    var revision: Int { isDone ? .max : first == nil ? 0 : 1 }

    func append(_ bytes: Data, finished: Bool) throws(WebImageError) {
        guard !isDone else { return }
        data.append(bytes)
        try clock.measure { () throws(WebImageError) in
            try data.withFileBytes { bytes throws(WebImageError) in
                while try advance(bytes) {}
                if first == nil, frameCount > 0 { try decodeFirst(bytes) }
                if finished { try finish(bytes) }
            }
        }
    }

    func snapshot() throws(WebImageError) -> PartialPicture? {
        first.map { PartialPicture(picture: $0, fullSize: screen, rowCount: $0.pixels.height, isWhole: isDone) }
    }

    private func decodeFirst(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        let gif = try GIFStructure(bytes, limits: options.limits)
        screen = gif.screen
        first = try ImageGIFCoder.firstFrame(bytes, gif, format: options.pixelFormat, DecodeDeadline(options.limits))
    }

    private func finish(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        let gif = try GIFStructure(bytes, limits: options.limits)
        // If there is no complete frame, this call throws an error that contains the reason.
        if first == nil { try decodeFirst(bytes) }
        info = gif.info
        isDone = true
    }

    /// Reads the next part of the file (header, block or data block) if this part has arrived completely. Returns
    /// whether it has arrived.
    private func advance(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) -> Bool {
        switch position {
        case .header: return try readHeader(bytes)
        case .block: return try readBlock(bytes)
        case .dataBlock(let isImage):
            guard let length = bytes.byte(at: offset), bytes.range(at: offset, count: 1 + Int(length)) != nil else {
                return false
            }
            offset += 1 + Int(length)
            if length == 0 {
                position = .block
                if isImage {
                    frameCount += 1
                    info?.frameCount = frameCount
                }
            }
            return true
        case .end: return false
        }
    }

    private func readHeader(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) -> Bool {
        guard bytes.count >= GIFStructure.headerLength else { return false }
        let gif = try GIFStructure(
            UnsafeRawBufferPointer(rebasing: bytes[..<GIFStructure.headerLength]), limits: options.limits)
        screen = gif.screen
        offset = GIFStructure.headerLength + (gif.palette?.byteCount ?? 0)
        position = .block
        return true
    }

    private func readBlock(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) -> Bool {
        guard let introducer = bytes.byte(at: offset) else { return false }
        switch introducer {
        case 0x2C:
            guard let flags = bytes.byte(at: offset + 9) else { return false }
            if info == nil {
                // The first frame can enlarge the screen.
                guard bytes.byte(at: offset + 10 + (GIFPalette(flags: flags, offset: 0)?.byteCount ?? 0)) != nil else {
                    return false
                }
                screen = try GIFStructure(bytes, limits: options.limits).screen
                info = ImageInfo(format: .gif, storedSize: screen)
            }
            // Skip the descriptor (10 bytes), the code size (1 byte) and the palette.
            offset += 11 + (GIFPalette(flags: flags, offset: 0)?.byteCount ?? 0)
            position = .dataBlock(isImage: true)
        case 0x21:
            guard bytes.byte(at: offset + 1) != nil else { return false }
            offset += 2
            position = .dataBlock(isImage: false)
        case 0x00: offset += 1
        default: position = .end
        }
        return true
    }
}
