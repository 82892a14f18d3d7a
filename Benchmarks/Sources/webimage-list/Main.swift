import CListStage
import Foundation
import Glibc
import Synchronization
import WebImage
import WebImageGTK

/// The program that measures our library in the list benchmark (`./list`). The window and the scroll steps come from
/// `CListStage`, so they are the same as those of the GTK peers.
///
///     webimage-list show SERVER CACHE-FOLDER            scrolls 1,000 rows: 200 pictures of 1000 x 1000, at 96 px
///     webimage-list fling SERVER CACHE-FOLDER SECONDS   flings a list of 10,000 rows with these pictures
///     webimage-list fling-empty - - SECONDS             flings a list of 10,000 rows without pictures
///     webimage-list picture FILE -                      writes the JPEG that peers/list_server.py serves
///     webimage-list bind SERVER CACHE-FOLDER            measures binding a row whose picture is in memory
@main @MainActor struct Main {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count > 3 else { exit(2) }
        MainLoop.attach()
        let seconds = arguments.count > 4 ? Double(arguments[4]) ?? 20 : 20
        switch arguments[1] {
        case "show": exit(PictureList(arguments[2], arguments[3], rows: 1000).run { list_stage_show($0) })
        case "fling":
            exit(PictureList(arguments[2], arguments[3], rows: 10_000).run { list_stage_fling($0, seconds) })
        case "fling-empty":
            exit(
                "empty GtkListView".withCString { name in
                    var stage = list_stage()
                    (stage.name, stage.rows, stage.row_height) = (name, 10_000, 96)
                    return list_stage_fling(&stage, seconds)
                })
        case "picture": exit(TestPicture.write(to: arguments[2]))
        case "bind": exit(WarmBind(arguments[2], arguments[3]).run())
        default: exit(2)
        }
    }
}

/// The list of our library. Each row is an `ImageView` with a height of 96 px. The server has 200 pictures, and row n
/// shows picture n modulo 200.
@MainActor final class PictureList {
    static let side = 96
    static let pictures = 200

    let manager: WebImageManager
    private let decodes = DecodeCount()
    let server: String
    private let count: Int
    private var rows: [Int: Row] = [:]
    private var factory: ImageListFactory?

    init(_ server: String, _ cacheFolder: String, rows: Int) {
        self.server = server
        count = rows
        manager = WebImageManager(
            cache: ImageCache(namespace: "list", diskCacheDirectory: cacheFolder), loader: ImageLoadersManager.shared)
        manager.listener = decodes
    }

    func request(_ position: Int) -> ImageListRequest {
        ImageListRequest(
            URL(string: "\(server)/\(position % Self.pictures).jpg"),
            context: [
                .customManager: manager, .imageThumbnailPixelSize: CGSize(width: Self.side, height: Self.side),
            ])
    }

    func run(_ body: (UnsafePointer<list_stage>) -> Int32) -> Int32 {
        "webimage".withCString { name in
            var stage = list_stage()
            (stage.name, stage.rows, stage.row_height) = (name, UInt32(count), Int32(Self.side))
            stage.user = Unmanaged.passUnretained(self).toOpaque()
            stage.make_factory = { list in
                guard let list else { return nil }
                nonisolated(unsafe) let address = list  // The pointer is used only on this thread.
                let factory = MainActor.assumeIsolated {
                    Int(bitPattern: Unmanaged<PictureList>.fromOpaque(address).takeUnretainedValue().makeFactory())
                }
                return UnsafeMutableRawPointer(bitPattern: factory)
            }
            stage.is_ready = { list, first, last in
                guard let list else { return false }
                nonisolated(unsafe) let address = list  // The pointer is used only on this thread.
                return MainActor.assumeIsolated {
                    let list = Unmanaged<PictureList>.fromOpaque(address).takeUnretainedValue()
                    return (Int(first)...Int(last)).allSatisfy { position in
                        list.rows[position].map { $0.position == position && $0.imageView.image != nil } ?? false
                    }
                }
            }
            defer { print("decodes \(decodes.value)") }
            return body(&stage)
        }
    }

    private func makeFactory() -> OpaquePointer {
        let factory = ImageListFactory(
            request: { [unowned self] in request($0) }, make: { Row() },
            bind: { [unowned self] row, position in
                row.position = position
                rows[position] = row
            })
        self.factory = factory
        return factory.retainedFactory()
    }
}

/// A manager listener that counts successful decodes. The program prints this number at the end of the run.
final class DecodeCount: WebImageManagerListener {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }

    func imageManager(_ imageManager: WebImageManager, didBegin span: WebImageStageSpan) {}
    func imageManager(_ imageManager: WebImageManager, didEnd report: WebImageStageReport) {
        if report.stage == .decode, report.error == nil { count.withLock { $0 += 1 } }
    }
}

/// The view of one row, and the position of the row that it currently shows.
@MainActor final class Row: ImageListRow {
    let imageView = ImageView()
    var position = -1
    var widget: OpaquePointer { imageView.widget }

    init() { list_stage_set_height(UnsafeMutableRawPointer(widget), Int32(PictureList.side)) }
}

/// Measures the time of a view's `setImage` for a picture that is in the memory cache. A list makes such calls when it
/// binds a row again.
@MainActor struct WarmBind {
    let list: PictureList

    init(_ server: String, _ cacheFolder: String) { list = PictureList(server, cacheFolder, rows: 1000) }

    func run() -> Int32 {
        for number in 0..<PictureList.pictures {
            let context = list.request(number).context
            guard let image = try? ImageCodersManager.shared.decode(Self.pixel, options: DecodingOptions()) else {
                return 1
            }
            let key = list.manager.cacheKey(for: list.request(number).url, context: context)
            (list.manager.imageCache as? ImageCache)?.storeImage(image, forKey: key, toDisk: false)
        }
        let view = ImageView()
        let clock = ContinuousClock()
        var times: [Double] = []
        for bind in 0..<5000 {
            let request = list.request(bind)
            let time = clock.measure {
                view.setImage(with: request.url, options: request.options, context: request.context)
            }
            guard view.image != nil else { return 1 }
            times.append(Double(time.components.attoseconds) / 1e12)
        }
        times.sort()
        print("warm bind: median \(times[2500].rounded()) µs, 99 % \(times[4950].rounded()) µs")
        return 0
    }

    /// A PNG of one pixel.
    private static let pixel =
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
        ?? Data()
}

/// Writes a JPEG of 1000 x 1000 px with gradients and random noise, which resembles the grain of a photo.
enum TestPicture {
    static func write(to path: String) -> Int32 {
        guard let pixels = try? PixelBuffer(width: 1000, height: 1000, format: .rgb8) else { return 1 }
        var noise: UInt32 = 12345
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<1000 {
                for x in 0..<1000 {
                    noise = noise &* 1_103_515_245 &+ 12345
                    let grain = UInt8(noise >> 27)
                    let place = y * pixels.bytesPerRow + x * 3
                    bytes[place] = UInt8(x / 4 & 255) ^ grain
                    bytes[place + 1] = UInt8(y / 4 & 255) ^ grain
                    bytes[place + 2] = UInt8((x + y) / 8 & 255) ^ grain
                }
            }
        }
        var options = EncodingOptions()
        options.quality = 0.85
        let data = try? ImageCodersManager.shared.encode(Image(pixels: pixels), format: .jpeg, options: options)
        return (try? data?.write(to: URL(fileURLWithPath: path))) == nil ? 1 : 0
    }
}
