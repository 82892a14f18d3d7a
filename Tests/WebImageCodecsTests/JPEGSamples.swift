import Foundation
import WebImageCodecs
import WebImageCore

/// Provides JPEG files that are built by hand or by the encoder.
enum JPEGSample {
    /// Returns a JPEG with smooth colours, by default in the highest quality.
    static func gradient(_ width: Int, _ height: Int, quality: Double = 1) throws -> Data {
        var options = EncodingOptions()
        options.quality = quality
        let image = Image(pixels: try Sample.gradient(width, height, .rgb8))
        return try ImageJPEGCoder.shared.encode(image, format: .jpeg, options: options)
    }

    /// Inserts a segment after the first marker of the file and returns the changed file.
    static func inserting(_ marker: UInt8, _ payload: Data, into jpeg: Data) -> Data {
        let length = payload.count + 2
        return jpeg.prefix(2) + [0xff, marker, UInt8(length >> 8), UInt8(length & 0xff)] + payload + jpeg.dropFirst(2)
    }

    static func exif(_ orientation: ImageOrientation) -> Data {
        Data("Exif\0\0".utf8) + ExifSample.tiff(orientation: orientation.rawValue, bigEndian: true)
    }

    /// Returns the file after a change of its frame header. The header declares `width` × `height` px, which differs
    /// from the size of the stored image.
    static func lying(_ width: Int, _ height: Int, in jpeg: Data) -> Data {
        var copy = Data(jpeg)
        guard let frame = copy.range(of: Data([0xff, 0xc0])) else { return copy }
        let sides = [height >> 8, height & 0xff, width >> 8, width & 0xff].map { UInt8($0) }
        copy.replaceSubrange(frame.upperBound + 3..<frame.upperBound + 7, with: sides)
        return copy
    }

    /// A progressive JPEG of 24 × 24 px with ten scans. Each pixel has red = 10 · x and green = 10 · y.
    static let progressive = decoded(
        """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxO
        UlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P
        T09PT09PT0//wgARCAAYABgDASIAAhEBAxEB/8QAGAABAQEBAQAAAAAAAAAAAAAAAAQDBQL/xAAZAQACAwEAAAAAAAAAAAAAAAAB
        BQACAwb/2gAMAwEAAhADEAAAAeDTvVSTOiLPxWY83sAz/8QAFxABAQEBAAAAAAAAAAAAAAAAAgABEv/aAAgBAQABBQLDYLBExFhi
        bmIv/8QAGBEAAwEBAAAAAAAAAAAAAAAAAAIDARH/2gAIAQMBAT8BlYS28ItvRW3h/8QAGxEBAAICAwAAAAAAAAAAAAAAAQACAxMh
        IjL/2gAIAQIBAT8Br2jqOFlbJiUnkJ//xAAUEAEAAAAAAAAAAAAAAAAAAAAw/9oACAEBAAY/Ah//xAAZEAEAAgMAAAAAAAAAAAAA
        AAABEBEgYXH/2gAIAQEAAT8hx7QDcZQ7H//aAAwDAQACAAMAAAAQn+gA/8QAGBEAAgMAAAAAAAAAAAAAAAAAAAEQETH/2gAIAQMB
        AT8QqgGEHtH/xAAbEQEAAgIDAAAAAAAAAAAAAAABABEhMXGhsf/aAAgBAgEBPxAyF2uF8JuSx2hLKxP/xAAaEAADAQEBAQAAAAAA
        AAAAAAAAAREhMVFh/9oACAEBAAE/ELzDnh8y8w54QUlXiLzCektwjCtH/9k=
        """)

    /// An Adobe CMYK JPEG of 8 × 8 px. Every pixel is stored as 200, 100, 50, 150.
    static let cmyk = decoded(
        """
        /9j/7gAOQWRvYmUAZAAAAAAA/9sAQwABAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB
        AQEBAQEBAQEBAQEB/8AAFAgACAAIBEMRAE0RAFkRAEsRAP/EABUAAQEAAAAAAAAAAAAAAAAAAAgK/8QAFBABAAAAAAAAAAAAAAAA
        AAAAAP/aAA4EQwBNAFkASwAAPwCkAH0x5YP/2Q==
        """)

    private static func decoded(_ base64: String) -> Data {
        Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data()
    }
}
