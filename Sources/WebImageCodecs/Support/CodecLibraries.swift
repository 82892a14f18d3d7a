import CWebImageGIF
import CWebImageJPEG
import CWebImagePNG
import CWebImageWebP

/// The names and versions of the C libraries that this target uses.
package enum CodecLibraries {
    package static var jpeg: String {
        // The version of libjpeg-turbo is one number: 2001005 means 2.1.5.
        let version = Int(LIBJPEG_TURBO_VERSION_NUMBER)
        return "libjpeg-turbo \(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
    }

    package static var png: String { "libpng " + triple(Int(png_access_version_number()), base: 100) }

    package static var gif: String { "giflib \(GIFLIB_MAJOR).\(GIFLIB_MINOR).\(GIFLIB_RELEASE)" }

    package static var webP: String { "libwebp " + triple(Int(WebPGetDecoderVersion()), base: 256) }

    private static func triple(_ number: Int, base: Int) -> String {
        "\(number / base / base).\(number / base % base).\(number % base)"
    }
}
