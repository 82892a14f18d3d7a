import Foundation
import WebImage

/// The pixels of a decoded image in the form that the manifest's hashes use: straight RGBA8 rows without padding. A
/// pixel whose alpha is 0 has zero in its colour channels.
struct StraightPixels: Equatable {
    private(set) var width: Int
    private(set) var height: Int
    var bytes: [UInt8]

    init(_ image: Image) {
        let pixels = image.pixels
        precondition(pixels.format == .rgba8)
        width = pixels.width
        height = pixels.height
        bytes = [UInt8](repeating: 0, count: pixels.width * pixels.height * 4)
        let rowBytes = width * 4
        let hasAlpha = image.hasAlpha
        pixels.withUnsafeBytes { source in
            bytes.withUnsafeMutableBytes { target in
                for row in 0..<pixels.height {
                    memcpy(
                        target.baseAddress! + row * rowBytes, source.baseAddress! + row * pixels.bytesPerRow, rowBytes)
                }
                guard hasAlpha else { return }
                let words = target.bindMemory(to: UInt32.self)
                var index = 0
                while index < words.count {
                    if words[index] & 0xFF00_0000 == 0 { words[index] = 0 }
                    index &+= 1
                }
            }
        }
    }

    /// Returns the part at the upper left corner.
    func cropped(to size: PixelSize) -> StraightPixels {
        var part = self
        part.bytes = (0..<size.height).flatMap { bytes[$0 * width * 4..<($0 * width + size.width) * 4] }
        (part.width, part.height) = (size.width, size.height)
        return part
    }

    /// Returns the SHA-256 of the pixels. Runs `sha256sum`, because hashing all files in a debug build would take
    /// minutes.
    func sha256() throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sha256sum")
        let input = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).rgba")
        try Data(bytes).write(to: input)
        defer { try? FileManager.default.removeItem(at: input) }
        let output = Pipe()
        process.arguments = [input.path]
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(String(decoding: text, as: UTF8.self).prefix(64))
    }

    /// Returns the largest difference of any channel, or nil if the sizes differ.
    ///
    /// If one of two compared pixels is fully transparent, only alpha is compared. `init(_:)` sets the colour of a
    /// fully transparent pixel to zero.
    func maxDifference(from other: StraightPixels) -> Int? {
        guard width == other.width, height == other.height else { return nil }
        var largest = 0
        bytes.withUnsafeBufferPointer { mine in
            other.bytes.withUnsafeBufferPointer { theirs in
                var index = 0
                while index < mine.count {
                    let isVisible = mine[index | 3] != 0 && theirs[index | 3] != 0
                    let difference = abs(Int(mine[index]) &- Int(theirs[index]))
                    if difference > largest, isVisible || index & 3 == 3 { largest = difference }
                    index &+= 1
                }
            }
        }
        return largest
    }

    /// Returns the mean of each channel.
    func means() -> [Double] {
        var sums = [0, 0, 0, 0]
        bytes.withUnsafeBufferPointer { bytes in
            var index = 0
            while index < bytes.count {
                sums[index & 3] &+= Int(bytes[index])
                index &+= 1
            }
        }
        return sums.map { Double($0) / Double(max(width * height, 1)) }
    }
}
