import Foundation
import WebImageCore

/// Splits a PNG file that arrives in pieces into chunks and keeps those that affect the picture.
///
/// Other chunks are dropped as they arrive, so that they cost neither memory nor time, whatever their size.
final class PNGChunkFilter {
    /// What to do with a piece of the file.
    enum Piece {
        /// The pixels begin: ``PNGChunkFilter/header`` is whole, and the bytes are the start of the first `IDAT`.
        case firstPixels(Data)
        /// Bytes of a chunk to pass to libpng.
        case pixels(Data)
    }

    private enum Use { case keep, forward, skip }

    private let limits: DecodingLimits
    /// The signature, the needed chunks before the pixels, and EXIF and XMP after them; without `IDAT`.
    private(set) var header = Data()
    /// Whether an animation is declared before the pixels.
    private(set) var declaresAnimation = false
    private var hasPixels = false
    private var isBehindPixels = false
    /// The incomplete signature or head of a chunk.
    private var partial = Data()
    private var remaining = 0
    private var use = Use.skip

    init(_ limits: DecodingLimits) { self.limits = limits }

    private static let needed: Set<FourCC> = [
        "IHDR", "PLTE", "tRNS", "iCCP", "gAMA", "cHRM", "sRGB", "cICP", "eXIf", "iTXt", "acTL", "fcTL",
    ]
    private static let neededAnywhere: Set<FourCC> = ["eXIf", "iTXt"]

    /// Takes the next bytes and passes those meant for libpng to `body`.
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
            // Only the first byte is checked here; the reader of the header checks the whole signature.
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
        // `IDAT` chunks must be consecutive; one after another chunk is ignored (PNG third edition, §5.6).
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
        // An `iTXt` chunk over the limit is skipped, because it is needed only if it is XMP. Other chunks must fit.
        if tag == "iTXt" { return .skip }
        throw .limit(.ancillaryChunkBytes, actual: length, allowed: allowed)
    }
}
