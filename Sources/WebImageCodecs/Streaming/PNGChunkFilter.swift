import Foundation
import WebImageCore

/// Splits a PNG file that arrives in pieces into chunks. Uses only the chunks that affect the picture.
///
/// Other chunks are dropped while they arrive, so that even a huge chunk needs no memory.
final class PNGChunkFilter {
    /// A piece of the file, which ``take(_:_:)`` passes to its caller.
    enum Piece {
        /// The head (length and name) of the first `IDAT` chunk. When this piece is passed, ``PNGChunkFilter/header``
        /// contains all needed chunks before the pixels.
        case firstPixels(Data)
        /// Bytes that the caller must pass to libpng.
        case pixels(Data)
    }

    private enum Use { case keep, forward, skip }

    private let limits: DecodingLimits
    /// The signature and the needed chunks. Before the pixels, all chunks in `needed` are needed. After the pixels,
    /// only the chunks in `neededAnywhere` are needed; they can contain EXIF and XMP. `header` contains no `IDAT`
    /// chunks.
    private(set) var header = Data()
    /// Whether an `acTL` chunk before the pixels declares an animation.
    private(set) var declaresAnimation = false
    private var hasPixels = false
    private var isBehindPixels = false
    /// The bytes of a signature or of a chunk head that has not arrived completely. Both have 8 bytes.
    private var partial = Data()
    private var remaining = 0
    private var use = Use.skip

    init(_ limits: DecodingLimits) { self.limits = limits }

    private static let needed: Set<FourCC> = [
        "IHDR", "PLTE", "tRNS", "iCCP", "gAMA", "cHRM", "sRGB", "cICP", "cLLI", "cLLi", "mDCV", "mDCv", "eXIf", "iTXt",
        "acTL", "fcTL",
    ]
    private static let neededAnywhere: Set<FourCC> = ["eXIf", "iTXt"]

    /// Reads the next bytes of the file. Calls `body` with the bytes that libpng must read.
    func take(_ bytes: Data, _ body: (Piece) throws(WebImageError) -> Void) throws(WebImageError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if remaining > 0 {
                let part = rest.prefix(remaining)
                remaining -= part.count
                rest = rest.dropFirst(part.count)
                switch use {
                case .keep: header.append(part)
                case .forward: try body(.pixels(part))
                case .skip: break
                }
            } else {
                let part = rest.prefix(8 - partial.count)
                partial.append(part)
                rest = rest.dropFirst(part.count)
                guard partial.count == 8 else { return }
                let whole = partial
                partial = Data()
                try takeHead(whole, body)
            }
        }
    }

    private func takeHead(
        _ head: Data, _ body: (Piece) throws(WebImageError) -> Void
    ) throws(WebImageError) {
        guard !header.isEmpty else {
            // Check only the first byte here. `PNGChunks` later checks the whole signature.
            guard head.first == 0x89 else { throw .badData("PNG", "the signature is missing") }
            header = head
            return
        }
        let (length, tag) = head.withUnsafeBytes { ($0.bigEndian32(at: 0) ?? 0, $0.tag(at: 4) ?? "IEND") }
        guard length <= 0x7FFF_FFFF else { throw .badData("PNG", "a chunk declares \(length) bytes") }
        if header.count == 8, tag != "IHDR" || length != 13 { throw .badData("PNG", "the first chunk is not IHDR") }
        remaining = length + 4
        use = try use(of: tag, length: length)
        switch use {
        case .keep:
            header.append(head)
            if tag == "acTL" { declaresAnimation = true }
        case .forward:
            let isFirst = !hasPixels
            hasPixels = true
            try body(isFirst ? .firstPixels(head) : .pixels(head))
        case .skip: break
        }
    }

    private func use(of tag: FourCC, length: Int) throws(WebImageError) -> Use {
        if tag == "IEND" { return .forward }
        // `IDAT` chunks must be consecutive (PNG third edition, §5.6). If another chunk interrupts the sequence, ignore
        // the `IDAT` chunks after the interruption.
        if tag == "IDAT" { return isBehindPixels ? .skip : .forward }
        isBehindPixels = hasPixels
        let isCritical = tag.rawValue & 0x2000_0000 == 0
        guard isCritical ? ["IHDR", "PLTE"].contains(tag) : true else {
            throw .badData("PNG", "an unknown critical chunk")
        }
        guard (hasPixels ? Self.neededAnywhere : Self.needed).contains(tag) else { return .skip }
        let allowed = min(
            limits.maxAncillaryChunkBytes, limits.maxAncillaryBytes - min(header.count, limits.maxAncillaryBytes))
        guard length > allowed else { return .keep }
        // Skip metadata that exceeds the limit: the picture is shown without it. Any other needed chunk that exceeds the
        // limit is an error.
        if tag == "iTXt" || tag == "eXIf" { return .skip }
        throw .limit(.ancillaryChunkBytes, actual: length, allowed: allowed)
    }
}
