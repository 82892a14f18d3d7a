import Foundation
import Testing
import WebImage

/// One file of the conformance folder and its expected properties.
struct ConformanceEntry: Decodable, Sendable, CustomTestStringConvertible {
    let path: String
    let format: String?
    let verdict: String
    let width: Int?
    let height: Int?
    let orientation: Int?
    let frames: Int?
    let loopCount: Int?
    let delaysMs: [Double]?
    let hasAlpha: Bool?
    let isGray: Bool?
    let bitDepth: Int?
    let iccProfile: Bool?
    let rgbaSHA256: String?
    let libjpegTurboSHA256: String?
    let libwebpSHA256: String?
    let reference: Reference?
    let tolerance: Int?
    let meanRGBA: [Double]?
    let role: String?
    let agreedBy: [String]?
    let frameSHA256: [String]?
    let sameSceneAs: String?
    let sceneMeanAbsDiff64: Double?

    var testDescription: String { path }

    /// The files with the expected pixels: one file, or one file per frame.
    enum Reference: Decodable, Sendable {
        case one(String)
        case perFrame([String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let path = try? container.decode(String.self) {
                self = .one(path)
            } else {
                self = .perFrame(try container.decode([String].self))
            }
        }

        /// The path of the file of each frame. Empty if the entry has only one reference file.
        var perFrame: [String] {
            switch self {
            case .one: []
            case .perFrame(let paths): paths
            }
        }

        var first: String? {
            switch self {
            case .one(let path): path
            case .perFrame(let paths): paths.first
            }
        }
    }
}

/// Corrections of entries that contradict the rules and hashes of the manifest.
extension ConformanceEntry {
    /// The logical screens of two GIFs whose only frame exceeds it. The manifest's size is that of the frame, which
    /// browsers, Pillow and libvips show in full, but its reference and hash show only the part on the screen.
    var screenOfReference: PixelSize? {
        switch path {
        case "gif/image-rs/issue_1455_oversized.gif": PixelSize(width: 10, height: 10)
        case "gif/image-rs/oob.gif": PixelSize(width: 32, height: 32)
        default: nil
        }
    }

    /// The reference of this picture was made without its CMYK profile, so its colours are not those of the picture. The
    /// result contains the right colours, as RGB, of every eighth pixel of every eighth row, both from 4 on. Pillow 13.0.0
    /// converted them with the profile (perceptual intent, lcms2 2.19).
    var colorsOfInk: [UInt8]? {
        guard path == "jpeg/serenity/buggie-cmyk.jpg" else { return nil }
        let text = """
            /v79aWVk/////////v//FRUU/v7+//////7+Z2Jirqyr/////f7+BAcH//////////////39xcTC///9//7+Y2Bf//7+/////P37////
            X2Bh/////////v//////////ERcY9Pb4/v79xsfH////DhIT////////Fhse//7+//7+/v78/f7+Fhod////////Fhod///9TE1M////
            Cg4PFhse//////////7+FhsePRARPhASFBodfhQWgxUY/v///v//V6nIEhgZFRsdFBkfm6eoCAkJ///9////CxMUIyoxIyoyIyoyDhcY
            e6HABAcHDAoLBwwNIyoyIyoyIyoyDRcYnKmlgRUXcg8RDhcYIyoyIyoyIyoyBw0OhI6Obg0QFxYWnammIyoyIyoxJCszDxcZaLvZeXV0
            /v7+SIynlaKgJCoyERgbnamoBAcH////////////BAYHHx8cDxcZkhockBkc/v79////FBQUDRYYCgsLDxgZ/v3+/v7+////////////
            XVpZDhcZDRMU////////////
            """
        return Data(base64Encoded: text, options: .ignoreUnknownCharacters).map { Array($0) }
    }

    var pixelSize: PixelSize? {
        guard let width, let height else { return nil }
        return PixelSize(width: width, height: height)
    }

    /// Whether the file is a reference image that the maker of the data set wrote. Such a file declares an alpha
    /// channel, but the manifest lists the file as opaque because all of its pixels are opaque.
    var isMadeReference: Bool { role == "reference" && agreedBy == ["written by this pack's maker"] }
}

/// The conformance folder. The environment variable `WEBIMAGE_CONFORMANCE` contains its path; otherwise the tests use
/// `../shared/conformance`, relative to the package's folder.
enum Conformance {
    static let folder: URL? = {
        let named = ProcessInfo.processInfo.environment["WEBIMAGE_CONFORMANCE"].map { URL(fileURLWithPath: $0) }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let beside = package.deletingLastPathComponent().appendingPathComponent("shared/conformance")
        return [named, beside].compactMap { $0 }.first {
            FileManager.default.fileExists(atPath: $0.appendingPathComponent("manifest.json").path)
        }
    }()

    static let entries: [ConformanceEntry] = {
        guard let folder, let data = try? Data(contentsOf: folder.appendingPathComponent("manifest.json")) else {
            return []
        }
        do {
            return try JSONDecoder().decode([ConformanceEntry].self, from: data)
        } catch {
            fatalError("manifest.json cannot be read: \(error)")
        }
    }()

    static let absent = "no conformance folder beside the package, and WEBIMAGE_CONFORMANCE names none"

    static func data(_ path: String) throws -> Data {
        guard let folder else { throw CocoaError(.fileNoSuchFile) }
        return try Data(contentsOf: folder.appendingPathComponent(path))
    }

    /// The decodable entries of the given formats.
    static func decodable(_ formats: Set<String>) -> [ConformanceEntry] {
        entries.filter { $0.verdict == "decode" && formats.contains($0.format ?? "") }
    }
}
