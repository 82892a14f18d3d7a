import Foundation
import WebImage
import WebImageAVIF
import WebImageJXL

/// A version of a library that an optional coder loads.
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

    /// Whether the library that is loaded is this version or a newer one.
    var isReached: Bool { !loaded.lexicographicallyPrecedes(wanted) && !loaded.isEmpty }
}

/// Seconds of processor time that the calling thread spends; other work of the machine does not count.
func threadSeconds(_ work: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now()
    try work()
    return now() - start
}
