import Foundation
import WebImage

/// Adds an EXIF orientation to a JPEG file.
enum EXIFOrientation {
    /// Returns the file with an APP1 segment that contains the orientation (EXIF 2.32 §4.5.4, TIFF 6.0 §2).
    static func adding(_ orientation: ImageOrientation, toJPEG file: Data) -> Data {
        let tiff: [UInt8] =
            Array("MM".utf8) + [0, 42, 0, 0, 0, 8] + [0, 1] + [0x01, 0x12, 0, 3, 0, 0, 0, 1]
            + [0, UInt8(orientation.rawValue), 0, 0] + [0, 0, 0, 0]
        let payload = Array("Exif\0\0".utf8) + tiff
        let length = payload.count + 2
        return file.prefix(2) + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + payload + file.dropFirst(2)
    }
}

extension ImageOrientation {
    /// The orientation that reverses the effect of this orientation.
    var inverse: ImageOrientation {
        switch self {
        case .right: .left
        case .left: .right
        default: self
        }
    }
}
