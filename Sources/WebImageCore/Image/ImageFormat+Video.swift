package import Foundation

/// The container of a video.
package enum VideoContainer: Sendable, CaseIterable {
    /// MP4 and QuickTime.
    case boxes
    /// Matroska and WebM.
    case matroska
    case avi
    case transportStream
    case ogg

    /// The bytes that are sufficient to detect a container.
    package static let signatureLength = 4096

    /// Detects the container of a video by its first bytes. Nil for files that are known to have only sound.
    package init?(sniffing data: Data) {
        guard let found = data.withUnsafeBytes({ Self.sniff($0) }) else { return nil }
        self = found
    }

    static func sniff(_ bytes: UnsafeRawBufferPointer) -> VideoContainer? {
        guard bytes.count >= 12 else { return nil }
        if has("ftyp", at: 4, in: bytes) { return isMovie(bytes) ? .boxes : nil }
        // QuickTime files of the time before the box `ftyp`.
        if ["moov", "mdat", "wide"].contains(where: { has($0, at: 4, in: bytes) }) { return .boxes }
        if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return .matroska }
        if has("RIFF", at: 0, in: bytes), has("AVI ", at: 8, in: bytes) { return .avi }
        if isTransportStream(bytes) { return .transportStream }
        if has("OggS", at: 0, in: bytes) {
            // The first pages have the header of each stream. Many more files have sound only.
            let start = Data(bytes.prefix(signatureLength))
            let marks = [[0x80] + Array("theora".utf8), Array("OVP80".utf8)]
            return marks.contains { start.range(of: Data($0)) != nil } ? .ogg : nil
        }
        return nil
    }

    private static func has(_ text: StaticString, at offset: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= offset + text.utf8CodeUnitCount else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[offset + $0] == text.utf8Start[$0] }
    }

    /// Whether the brands are those of movies. The first brand of a file of sound (`M4A `) is none of them.
    private static func isMovie(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let brands: [StaticString] = [
            "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "mp41", "mp42", "mp71", "avc1",
            "hvc1", "hev1", "av01", "M4V", "qt  ", "3gp", "3gg", "3gr", "3gs", "3ge", "3g2", "dash", "cmf", "msdh",
            "msix",
            "mmp4", "MSNV", "NDSC", "NDSH", "NDSM", "NDSP", "NDSS", "NDXC", "XAVC", "F4V ", "f4v ", "kddi", "dby1",
        ]
        return brands.contains { has($0, at: 8, in: bytes) }
    }

    /// Packets of 188 bytes begin with `G`. Files of cameras have four more bytes before each.
    private static func isTransportStream(_ bytes: UnsafeRawBufferPointer) -> Bool {
        [(start: 0, step: 188), (4, 192)].contains { start, step in
            bytes.count > start + 2 * step && (0..<3).allSatisfy { bytes[start + $0 * step] == 0x47 }
        }
    }
}
