import CWebImageVideo
package import WebImageCore

/// The functions of FFmpeg's libraries. The libraries are loaded when they are needed for the first time.
struct VideoLibrary: Sendable {
    let util: AVUtilFunctions
    let codec: AVCodecFunctions
    let format: AVFormatFunctions
    let scale: SwScaleFunctions

    private static let names = [VIDEO_UTIL_LIBRARY, VIDEO_CODEC_LIBRARY, VIDEO_FORMAT_LIBRARY, VIDEO_SCALE_LIBRARY]
        .map { String(cString: $0) }
    /// The packages have the names of the files: libavformat.so.59 is in libavformat59.
    static let packages = names.map { $0.replacing(".so.", with: "") }
    private static let loaded = Result { () throws(WebImageError) in try VideoLibrary() }

    static func functions() throws(WebImageError) -> VideoLibrary { try loaded.get() }

    /// For callbacks of FFmpeg, which run only after the libraries were loaded.
    static var current: VideoLibrary? { try? loaded.get() }

    private init() throws(WebImageError) {
        let (names, packages) = (Self.names, Self.packages)
        util = try SharedLibrary.functions(of: names[0], package: packages[0]) { AVUtilFunctions_bind($0, $1) }
        codec = try SharedLibrary.functions(of: names[1], package: packages[1]) { AVCodecFunctions_bind($0, $1) }
        format = try SharedLibrary.functions(of: names[2], package: packages[2]) { AVFormatFunctions_bind($0, $1) }
        scale = try SharedLibrary.functions(of: names[3], package: packages[3]) { SwScaleFunctions_bind($0, $1) }
        let versions = [
            (util.avutil_version(), LIBAVUTIL_VERSION_MAJOR), (codec.avcodec_version(), LIBAVCODEC_VERSION_MAJOR),
            (format.avformat_version(), LIBAVFORMAT_VERSION_MAJOR),
            (scale.swscale_version(), LIBSWSCALE_VERSION_MAJOR),
        ]
        for (name, (version, major)) in zip(names, versions) where Int32(version >> 16) != major {
            throw SharedLibrary.mismatch(name, "is version \(version >> 16), not \(major)")
        }
        // FFmpeg would write each fault of a file to the standard error output.
        util.av_log_set_level(AV_LOG_QUIET)
    }

    /// The words of FFmpeg for a status.
    func words(for status: Int32) -> String {
        var text = [CChar](repeating: 0, count: 128)
        _ = util.av_strerror(status, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Calls `body` with the dictionary of FFmpeg that has these options.
    func withOptions<Value>(
        _ options: KeyValuePairs<String, String>,
        _ body: (UnsafeMutablePointer<OpaquePointer?>) throws(WebImageError) -> Value
    ) throws(WebImageError) -> Value {
        var dictionary: OpaquePointer?
        for (name, value) in options { _ = util.av_dict_set(&dictionary, name, value, 0) }
        defer { util.av_dict_free(&dictionary) }
        return try body(&dictionary)
    }
}

extension ImageVideoCoder {
    /// The packages of Debian that have the libraries.
    package static let libraryPackage = VideoLibrary.packages.joined(separator: ", ")

    /// Loads FFmpeg's libraries and returns their version.
    ///
    /// - Throws: `.unsupportedFormat` if one of them is missing.
    package static func libraryVersion() throws(WebImageError) -> String {
        let version = try VideoLibrary.functions().util.av_version_info().map { String(cString: $0) } ?? "?"
        // Debian's versions end with that of the package.
        return "ffmpeg " + (version.split(separator: "-").first ?? "?")
    }
}
