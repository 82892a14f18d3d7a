import Foundation
import WebImage
import WebImageAVIF
import WebImageJXL

/// The loaded version of an optional coder's library, and the version that a test requires.
struct LibraryVersion {
    private let loaded: [Int]
    private let wanted: [Int]

    static func avif(_ major: Int, _ minor: Int) -> LibraryVersion {
        LibraryVersion(try? ImageAVIFCoder.libraryVersion(), major, minor)
    }

    static func jpegXL(_ major: Int, _ minor: Int) -> LibraryVersion {
        LibraryVersion(try? ImageJPEGXLCoder.libraryVersion(), major, minor)
    }

    /// - Parameter words: The library's name and version, separated by a space.
    private init(_ words: String?, _ major: Int, _ minor: Int) {
        loaded = words?.split(separator: " ").last?.split(separator: ".").compactMap { Int($0) } ?? []
        wanted = [major, minor]
    }

    /// Whether the loaded version is the required version or a newer one. False if the library cannot be loaded.
    var isReached: Bool { !loaded.lexicographicallyPrecedes(wanted) && !loaded.isEmpty }
}
