import CWebImageAVIF
package import WebImageCore

extension ImageAVIFCoder {
    /// The versions of libavif and of its AV1 codecs; loads the library.
    ///
    /// - Throws: `.unsupportedFormat` when it is missing.
    package static func libraryVersion() throws(WebImageError) -> String {
        let libavif = try AVIFLibrary.functions()
        var codecs = [CChar](repeating: 0, count: 256)
        libavif.avifCodecVersions(&codecs)
        let names = String(decoding: codecs.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return "libavif \(libavif.version) (\(names))"
    }
}
