import CAVIF

extension ImageAVIFCoder {
    /// libavif's version and its AV1 codecs'.
    package static var libraryVersion: String {
        var codecs = [CChar](repeating: 0, count: 256)
        avifCodecVersions(&codecs)
        let names = String(decoding: codecs.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return "libavif \(String(cString: avifVersion())) (\(names))"
    }
}
