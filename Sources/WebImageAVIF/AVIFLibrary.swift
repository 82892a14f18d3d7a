import CWebImageAVIF
package import WebImageCore

/// The functions of libavif. The library is loaded when they are needed for the first time.
enum AVIFLibrary {
    private static let loaded = Result { () throws(WebImageError) in try load() }

    static func functions() throws(WebImageError) -> AVIFFunctions { try loaded.get() }

    private static func load() throws(WebImageError) -> AVIFFunctions {
        let libavif: AVIFFunctions = try SharedLibrary.functions(
            of: AVIF_LIBRARY, package: ImageAVIFCoder.libraryPackage
        ) {
            AVIFFunctions_bind($0, $1)
        }
        // Accept only the minor version of the headers. libavif's public structures change with each minor version, so
        // their fields in another version have other offsets.
        let version = libavif.version
        guard version.hasPrefix("\(AVIF_VERSION_MAJOR).\(AVIF_VERSION_MINOR).") else {
            throw SharedLibrary.mismatch(
                AVIF_LIBRARY, "is version \(version), not \(AVIF_VERSION_MAJOR).\(AVIF_VERSION_MINOR)")
        }
        return libavif
    }
}

extension AVIFFunctions {
    var version: String { avifVersion().map { String(cString: $0) } ?? "?" }

    func words(for result: avifResult) -> String {
        avifResultToString(result).map { String(cString: $0) } ?? "error \(result.rawValue)"
    }
}

extension ImageAVIFCoder {
    /// The package of Debian that has the library.
    package static let libraryPackage = AVIF_LIBRARY.replacing("libavif.so.", with: "libavif")

    /// Loads libavif. Returns the versions of libavif and of its AV1 codecs.
    ///
    /// - Throws: `.unsupportedFormat` if libavif is missing.
    package static func libraryVersion() throws(WebImageError) -> String {
        let libavif = try AVIFLibrary.functions()
        var codecs = [CChar](repeating: 0, count: 256)
        libavif.avifCodecVersions(&codecs)
        let names = String(decoding: codecs.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return "libavif \(libavif.version) (\(names))"
    }
}
