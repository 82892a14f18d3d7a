import CStageGTK
import Foundation
import Glibc
import WebImage
import WebImageGTK

/// The program that `./views` measures. Each run is a process of its own and prints one line of JSON.
///
///     webimage-views pictures FOLDER                 writes the photos and the GIFs that the runs show
///     webimage-views grid full|view FOLDER CACHE     shows 300 photos of 1600 x 1200 in cells of 60 points, without a
///                                                    size in the request: decoded whole, or at the size of the views
///     webimage-views gif full|view FILE SIDE SECONDS plays an animation in a view with this width, in points
@main @MainActor struct Main {
    static let photos = 300

    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count > 2 else { exit(2) }
        MainLoop.attach()
        switch arguments[1] {
        case "pictures": exit(Pictures.write(to: URL(fileURLWithPath: arguments[2])))
        case "grid" where arguments.count > 4:
            exit(Grid(arguments[2] == "full", URL(fileURLWithPath: arguments[3]), cache: arguments[4]).run())
        case "gif" where arguments.count > 5:
            let seconds = Double(arguments[5]) ?? 10
            let side = Int32(arguments[4]) ?? 480
            exit(Motion(arguments[2] == "full", URL(fileURLWithPath: arguments[3]), side: side).run(seconds))
        default: exit(2)
        }
    }
}

/// The pictures of the runs.
@MainActor enum Pictures {
    static func write(to folder: URL) -> Int32 {
        do {
            for number in 0..<Main.photos {
                let file = folder.appendingPathComponent("\(number).jpg")
                guard !FileManager.default.fileExists(atPath: file.path) else { continue }
                let photo = try picture(width: 1600, height: 1200, seed: number)
                try ImageCodersManager.shared.encode(photo, format: .jpeg, options: EncodingOptions()).write(to: file)
            }
            for (name, width) in [("480.gif", 480), ("960.gif", 960)] {
                let file = folder.appendingPathComponent(name)
                let data = try ImageCodersManager.shared.encode(
                    frameCount: 20, loopCount: 0, format: .gif, options: EncodingOptions()
                ) { number throws(WebImageError) in
                    ImageFrame(image: try picture(width: width, height: width * 3 / 4, seed: number), duration: 0.05)
                }
                try data.write(to: file)
            }
            return 0
        } catch {
            print(error)
            return 1
        }
    }

    /// A picture with soft colours and some detail, different for each seed.
    private static func picture(width: Int, height: Int, seed: Int) throws(WebImageError) -> Image {
        let pixels = try PixelBuffer(width: width, height: height, format: .bgra8Premultiplied)
        pixels.withUnsafeMutableBytes { bytes in
            for row in 0..<height {
                for column in 0..<width {
                    let offset = row * pixels.bytesPerRow + column * 4
                    let detail = (column / 16 * 7 + row / 16 * 13 + seed * 29) & 31
                    bytes[offset] = UInt8((column * 255 / width + seed * 11) & 127) + UInt8(detail)
                    bytes[offset + 1] = UInt8((row * 255 / height + seed * 5) & 127) + UInt8(detail)
                    bytes[offset + 2] = UInt8(128 + detail)
                    bytes[offset + 3] = 255
                }
            }
        }
        return Image(pixels: pixels, hasAlpha: false)
    }
}

/// 300 views in a window, all visible.
@MainActor struct Grid {
    private let context: WebImageContext
    private let views: [ImageView]
    private let folder: URL

    init(_ isFull: Bool, _ folder: URL, cache: String) {
        let manager = WebImageManager(
            cache: ImageCache(namespace: "views", diskCacheDirectory: cache), loader: ImageLoadersManager.shared)
        var context: WebImageContext = [.customManager: manager]
        if isFull { context[.thumbnail] = ViewThumbnail.fullSize }
        self.context = context
        self.folder = folder
        views = (0..<Main.photos).map { _ in ImageView() }
    }

    func run() -> Int32 {
        let grid = gtk_grid_new()
        for (number, view) in views.enumerated() {
            view.requestSize(CGSize(width: 60, height: 60))
            // A cell has the size of its square and not of its photo.
            let square = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
            gtk_widget_set_size_request(square, 60, 60)
            let overlay = gtk_overlay_new()
            gtk_overlay_set_child(gtkCast(overlay), square)
            gtk_overlay_add_overlay(gtkCast(overlay), view.gtkWidget())
            gtk_grid_attach(gtkCast(grid), overlay, Int32(number % 20), Int32(number / 20), 1, 1)
        }
        let start = Cost()
        for (number, view) in views.enumerated() {
            view.setImage(with: folder.appendingPathComponent("\(number).jpg"), context: context)
        }
        Stage.show(grid, width: 1200, height: 900)
        let deadline = ContinuousClock.now + .seconds(120)
        while views.contains(where: { $0.image == nil }) {
            g_main_context_iteration(nil, 1)
            if ContinuousClock.now > deadline { return 1 }
        }
        let end = Cost()
        let sizes = Set(views.compactMap { $0.image.map { "\($0.pixelSize)" } })
        print(
            #"{"seconds": \#(end.time - start.time), "cpu": \#(end.cpu - start.cpu), "#
                + #""peak_mb": \#(Cost.peakMegabytes), "decoded": "\#(sizes.sorted().joined(separator: ", "))"}"#)
        return 0
    }
}

/// One animation in a window with some other widgets.
@MainActor struct Motion {
    private let view = ImageView()
    private let side: Int32
    private let context: WebImageContext
    private let url: URL

    init(_ isFull: Bool, _ url: URL, side: Int32) {
        self.url = url
        self.side = side
        context = isFull ? [.thumbnail: ViewThumbnail.fullSize] : [:]
    }

    func run(_ seconds: Double) -> Int32 {
        let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6)
        gtk_box_append(gtkCast(box), gtk_label_new("An animation"))
        let square = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        gtk_widget_set_size_request(square, side, side * 3 / 4)
        let overlay = gtk_overlay_new()
        gtk_widget_set_halign(overlay, GTK_ALIGN_CENTER)
        gtk_overlay_set_child(gtkCast(overlay), square)
        gtk_overlay_add_overlay(gtkCast(overlay), view.gtkWidget())
        gtk_box_append(gtkCast(box), overlay)
        gtk_box_append(gtkCast(box), gtk_button_new_with_label("A button"))
        view.setImage(with: url, context: context)
        let window = Stage.show(box, width: 800, height: 600)
        guard Stage.run(seconds: 20, until: { view.isAnimating }) else { return 1 }
        _ = Stage.run(seconds: 2, until: { false })
        let start = Cost()
        _ = Stage.run(seconds: seconds, until: { false })
        let playing = Cost()
        view.stopAnimating()
        _ = Stage.run(seconds: 1, until: { false })
        let stopped = Cost()
        _ = Stage.run(seconds: 3, until: { false })
        let end = Cost()
        let renderer = gtk_native_get_renderer(gtkCast(window)).map {
            String(cString: g_type_name_from_instance(gtkCast($0)))
        }
        print(
            #"{"core": \#((playing.cpu - start.cpu) / (playing.time - start.time)), "#
                + #""stopped": \#((end.cpu - stopped.cpu) / (end.time - stopped.time)), "#
                + #""renderer": "\#(renderer ?? "none")", "decoded": "\#(view.image.map { "\($0.pixelSize)" } ?? "")"}"#
        )
        return 0
    }
}

@MainActor enum Stage {
    @discardableResult
    static func show(_ child: UnsafeMutablePointer<GtkWidget>?, width: Int32, height: Int32) -> OpaquePointer {
        let window = gtk_window_new()
        gtk_window_set_default_size(gtkCast(window), width, height)
        gtk_window_set_child(gtkCast(window), child)
        gtk_window_present(gtkCast(window))
        return OpaquePointer(window!)
    }

    /// Runs the main loop. Returns whether the condition became true in time.
    static func run(seconds: Double, until condition: () -> Bool) -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        // The timer wakes the loop at the deadline.
        g_timeout_add(100, { _ in 1 }, nil)
        while ContinuousClock.now < deadline {
            if condition() { return true }
            g_main_context_iteration(nil, 1)
        }
        return condition()
    }
}

/// The time and the processor time of this process, in seconds.
struct Cost {
    let time: Double
    let cpu: Double

    init() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        time = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
        cpu = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }

    /// The largest resident memory of the process so far, in MB.
    static var peakMegabytes: Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Int(usage.ru_maxrss) / 1024
    }
}
