import Foundation
import WebImage

/// Measures the memory of a server program that uses only `WebImageManager`. `webimage-footprint URL [COUNT]` loads one
/// picture and then COUNT more pictures. After each step, the program prints the milliseconds since the start, the
/// private resident memory and the file-backed resident memory. Both memory values are in MB.
///
/// The private memory (`RssAnon` of proc(5)) belongs only to this process. The file-backed memory (`RssFile`) consists
/// of pages of files such as libraries. Several programs can share these pages.
@main
struct Main {
    static func main() async throws {
        let start = ContinuousClock.now
        let arguments = CommandLine.arguments
        guard arguments.count >= 2, let url = URL(string: arguments[1]) else {
            print("usage: webimage-footprint URL [COUNT]")
            exit(2)
        }
        func report(_ stage: String) throws {
            let time = start.duration(to: .now)
            let milliseconds = Double(time.components.attoseconds) / 1e15 + Double(time.components.seconds) * 1e3
            let (own, file) = try resident()
            print(
                stage, String(format: "%.1f", milliseconds), String(format: "%.1f", own), String(format: "%.1f", file),
                separator: "\t")
        }
        try report("main")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("webimage-footprint-\(getpid())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = ImageCache(namespace: "footprint", diskCacheDirectory: folder.path)
        let manager = WebImageManager(cache: cache, loader: ImageLoadersManager.shared)
        try report("manager")
        let image = try await manager.image(for: url)
        try report("first load, \(image.pixelSize.width) x \(image.pixelSize.height)")
        await cache.flush()
        try report("stored on disk")
        for number in 0..<(arguments.count > 2 ? Int(arguments[2]) ?? 0 : 0) {
            // Each URL is different, and the images are stored only on disk. If the memory grows in this loop, the
            // memory cache is therefore not the cause.
            let next = URL(string: "\(arguments[1])?\(number)")
            _ = try await manager.image(for: next, context: [.storeCacheType: ImageCacheType.disk])
        }
        await cache.flush()
        try report("further loads")
    }

    private static func resident() throws -> (own: Double, file: Double) {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        func megabytes(_ name: String) -> Double {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }.map {
                $0 * 1024 / 1e6
            } ?? -1
        }
        return (megabytes("RssAnon"), megabytes("RssFile"))
    }
}
