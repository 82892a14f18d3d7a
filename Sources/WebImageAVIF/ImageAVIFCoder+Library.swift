import CWebImageAVIF
package import WebImageCore

extension ImageAVIFCoder {
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
