import CWebImageGTK
import Foundation
import WebImage
import WebImageGTK

/// Counts the manager's work since the start of the program. The counters are updated on the threads that do the work.
final class Figures: WebImageManagerListener {
    struct Counts {
        var memory = 0, disk = 0, local = 0, network = 0, failed = 0
        var decodes = 0, downloads = 0, bytes = 0
    }

    private let state = Locked(Counts())
    var counts: Counts { state.withLock { $0 } }

    func imageManager(_ imageManager: WebImageManager, didBegin span: WebImageStageSpan) {}

    func imageManager(_ imageManager: WebImageManager, didEnd report: WebImageStageReport) {
        state.withLock { counts in
            switch report.stage {
            case .decode: counts.decodes += 1
            case .download where report.url.isRemote:
                counts.downloads += 1
                counts.bytes += report.byteCount ?? 0
            case .load:
                switch report.origin {
                case .memory: counts.memory += 1
                case .disk: counts.disk += 1
                // A file or the bytes of a `data:` URL.
                case .some where !report.url.isRemote: counts.local += 1
                case .some: counts.network += 1
                case nil: if report.error?.isCancellation != true { counts.failed += 1 }
                }
            default: break
            }
        }
    }
}

/// The panel of the window. It shows current figures, choices, and buttons that clear the caches.
@MainActor final class LivePanel {
    let root: UnsafeMutablePointer<GtkWidget>
    private let figures: Figures
    private let numbers: [UnsafeMutablePointer<GtkWidget>]
    private let clock: GTKDisplayLink
    private var frames = (count: 0, worst: 0.0, sinceText: 0.0)
    private static let names = [
        "From memory", "From disk", "Local", "From the network", "Failed", "Decodes", "Requests", "Received",
        "In memory", "Frames per second", "Longest frame",
    ]

    init(_ figures: Figures) {
        self.figures = figures
        root = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12)
        gtk_widget_add_css_class(root, "panel")
        gtk_widget_add_css_class(root, "background")
        gtk_widget_set_size_request(root, 260, -1)
        // The number labels expand horizontally. Without this line, the panel would also expand horizontally, beyond
        // its natural width.
        gtk_widget_set_hexpand(root, 0)
        let grid = gtk_grid_new()!
        let table = UnsafeMutablePointer<GtkGrid>(OpaquePointer(grid))
        gtk_grid_set_row_spacing(table, 4)
        gtk_grid_set_column_spacing(table, 12)
        numbers = Self.names.enumerated().map { row, name in
            let title = gtk_label_new(name)!, number = gtk_label_new("–")!
            gtk_label_set_xalign(OpaquePointer(title), 0)
            gtk_label_set_xalign(OpaquePointer(number), 1)
            gtk_widget_set_hexpand(number, 1)
            gtk_widget_add_css_class(title, "dim-label")
            gtk_widget_add_css_class(number, "numeric")
            gtk_grid_attach(table, title, 0, gint(row), 1, 1)
            gtk_grid_attach(table, number, 1, gint(row), 1, 1)
            return number
        }
        clock = GTKDisplayLink(OpaquePointer(root))
        let heading = gtk_label_new("Live")!
        gtk_widget_add_css_class(heading, "title-4")
        gtk_label_set_xalign(OpaquePointer(heading), 0)
        append(heading)
        append(grid)
    }

    func append(_ widget: UnsafeMutablePointer<GtkWidget>) {
        gtk_box_append(UnsafeMutablePointer(OpaquePointer(root)), widget)
    }

    /// Whether the panel counts frames and updates its figures. Set it to false for a hidden panel, so that the panel
    /// uses no processor time.
    var isLive = false {
        didSet {
            guard isLive != oldValue else { return }
            if isLive { clock.start { [weak self] in self?.hasFrame($0) } } else { clock.stop() }
            refresh()
        }
    }

    private func hasFrame(_ elapsed: Double) {
        frames.count += 1
        frames.worst = max(frames.worst, elapsed)
        frames.sinceText += elapsed
        if frames.sinceText >= 0.5 { refresh() }
    }

    func refresh() {
        let counts = figures.counts
        let memory = (ImageCache.shared.memoryCache as? MemoryCache)?.totalCost ?? 0
        let rate = frames.sinceText > 0 ? "\(Int((Double(frames.count) / frames.sinceText).rounded()))" : "–"
        let worst = frames.count > 0 ? "\(Int((frames.worst * 1000).rounded())) ms" : "–"
        let texts =
            [
                counts.memory, counts.disk, counts.local, counts.network, counts.failed, counts.decodes,
                counts.downloads,
            ].map(String.init) + [Self.megabytes(counts.bytes), Self.megabytes(memory), rate, worst]
        for (label, text) in zip(numbers, texts) { gtk_label_set_text(OpaquePointer(label), text) }
        frames = (0, 0, 0)
    }

    private static func megabytes(_ bytes: Int) -> String { String(format: "%.1f MB", Double(bytes) / 1e6) }
}
