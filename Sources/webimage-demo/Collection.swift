import Foundation
import WebImage
import WebImageGraphics

/// The demo's pictures. They have four formats and six sizes, and the JPEG files have six orientations. Three further
/// files are a large picture, a picture that the server sends slowly, and a truncated file.
struct Collection {
    struct Item {
        let name: String
        let data: Data
        let type: String
        var isSlow = false
    }

    let items: [Item]

    /// Draws and encodes all pictures. Takes some seconds.
    init(count: Int = 64) throws(WebImageError) {
        var items: [Item] = []
        for number in 1...count { items.append(try Self.item(number)) }
        items.append(
            Item(name: "65-large.jpg", data: try Self.jpeg(65, width: 6000, height: 4000), type: "image/jpeg"))
        let slow = try Self.item(66)
        items.append(Item(name: "66-slow.jpg", data: try Self.jpeg(66), type: slow.type, isSlow: true))
        let whole = try Self.jpeg(67)
        items.append(Item(name: "67-broken.jpg", data: whole.prefix(whole.count / 3), type: "image/jpeg"))
        self.items = items
    }

    private static let sizes = [(640, 480), (480, 640), (600, 600), (800, 450), (450, 800), (720, 480)]
    private static let orientations: [ImageOrientation] = [.up, .right, .down, .left, .upMirrored, .leftMirrored]

    private static func item(_ number: Int) throws(WebImageError) -> Item {
        switch number % 4 {
        case 1: return Item(name: name(number, "jpg"), data: try jpeg(number), type: "image/jpeg")
        case 2: return Item(name: name(number, "png"), data: try encoded(number, "PNG", .png), type: "image/png")
        case 3:
            return Item(name: name(number, "gif"), data: try encoded(number, "GIF", .gif), type: "image/gif")
        default:
            return Item(name: name(number, "webp"), data: try encoded(number, "WEBP", .webP), type: "image/webp")
        }
    }

    private static func name(_ number: Int, _ fileExtension: String) -> String {
        String(format: "%02d.%@", number, fileExtension)
    }

    private static func picture(_ number: Int, _ label: String) throws(WebImageError) -> Image {
        let size = sizes[(number / 4) % sizes.count]
        var landscape = Landscape(width: size.0, height: size.1, seed: number, label: "\(number)\(label)")
        landscape.hasClearSky = label == "PNG" && number % 8 == 2
        return try landscape.image()
    }

    private static func encoded(_ number: Int, _ label: String, _ format: ImageFormat) throws(WebImageError) -> Data {
        var options = EncodingOptions()
        options.quality = 0.8
        return try ImageCodersManager.shared.encode(try picture(number, label), format: format, options: options)
    }

    /// Returns a JPEG whose pixels are stored rotated or mirrored, like a picture from a rotated camera. The EXIF data
    /// of the file contains the orientation.
    private static func jpeg(
        _ number: Int, width: Int? = nil, height: Int? = nil
    ) throws(WebImageError) -> Data {
        let size = sizes[(number / 4) % sizes.count]
        let upright = try Landscape(
            width: width ?? size.0, height: height ?? size.1, seed: number, label: "\(number)JPEG"
        ).image()
        let orientation = orientations[(number / 4) % orientations.count]
        let stored = Image(pixels: try upright.pixels.oriented(orientation.inverse), hasAlpha: false)
        var options = EncodingOptions()
        options.quality = 0.85
        let file = try ImageCodersManager.shared.encode(stored, format: .jpeg, options: options)
        return EXIFOrientation.adding(orientation, toJPEG: file)
    }
}
