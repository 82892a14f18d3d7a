import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    /// Views with a fixed size in containers of every kind.
    @Suite("Fixed size") @MainActor struct FixedSizeTests {
        init() throws { try Display.open() }

        enum Place: CaseIterable {
            case row, column, expandingRow, homogeneousRow, grid, frame, overlay, scrolledColumn, centerBox, flow,
                window
            case listView, gridView, columnView, fittingList
        }

        enum Kind: CaseIterable {
            case image, animated, button, phases, picture, gtkImage
        }

        private func makeView(_ kind: Kind) throws -> WidgetView {
            switch kind {
            case .image: ImageView()
            case .animated: AnimatedImageView()
            case .button: Button()
            case .phases: PhaseView(nil) { _ in ImageView(try? TestImages.solid(width: 300, height: 500)) }
            case .picture: try adopted(gtk_picture_new())
            case .gtkImage: try adopted(gtk_image_new())
            }
        }

        private func adopted(_ widget: UnsafeMutablePointer<GtkWidget>?) throws -> ImageView {
            let widget = try #require(OpaquePointer(widget))
            return try #require(ImageView.adopting(widget))
        }

        private func show(_ image: Image?, in view: WidgetView) {
            if let button = view as? Button { button.setImage(image, for: .normal) }
            (view as? ImageView)?.image = image
        }

        /// Puts a view into a container beside a label.
        private func put(_ widget: OpaquePointer, in place: Place) throws -> OpaquePointer {
            let child: UnsafeMutablePointer<GtkWidget>? = gtkCast(widget)
            let label = gtk_label_new("A text that is longer than the picture is wide")
            gtk_label_set_wrap(gtkCast(label), 1)
            func box(_ orientation: GtkOrientation) -> OpaquePointer? {
                let box = OpaquePointer(gtk_box_new(orientation, 6))
                gtk_box_append(gtkCast(box), child)
                gtk_box_append(gtkCast(box), label)
                return box
            }
            let made: OpaquePointer?
            switch place {
            case .row: made = box(GTK_ORIENTATION_HORIZONTAL)
            case .column: made = box(GTK_ORIENTATION_VERTICAL)
            case .expandingRow:
                gtk_widget_set_hexpand(child, 1)
                gtk_widget_set_vexpand(child, 1)
                made = box(GTK_ORIENTATION_HORIZONTAL)
            case .homogeneousRow:
                made = box(GTK_ORIENTATION_HORIZONTAL)
                gtk_box_set_homogeneous(gtkCast(made), 1)
            case .grid:
                made = OpaquePointer(gtk_grid_new())
                gtk_grid_attach(gtkCast(made), child, 0, 0, 1, 1)
                gtk_grid_attach(gtkCast(made), label, 1, 0, 1, 2)
            case .frame:
                made = OpaquePointer(gtk_frame_new(nil))
                gtk_frame_set_child(gtkCast(made), child)
            case .overlay:
                made = OpaquePointer(gtk_overlay_new())
                gtk_overlay_set_child(gtkCast(made), label)
                gtk_overlay_add_overlay(gtkCast(made), child)
            case .scrolledColumn:
                made = OpaquePointer(gtk_scrolled_window_new())
                gtk_scrolled_window_set_child(gtkCast(made), gtkCast(box(GTK_ORIENTATION_VERTICAL)))
            case .centerBox:
                made = OpaquePointer(gtk_center_box_new())
                gtk_center_box_set_center_widget(gtkCast(made), child)
                gtk_center_box_set_end_widget(gtkCast(made), label)
            case .flow:
                made = OpaquePointer(gtk_flow_box_new())
                gtk_flow_box_insert(gtkCast(made), child, -1)
                gtk_flow_box_insert(gtkCast(made), label, -1)
            case .window, .listView, .gridView, .columnView, .fittingList: made = box(GTK_ORIENTATION_VERTICAL)
            }
            return try #require(made)
        }

        private func size(_ view: WidgetView) -> [Int] {
            let size = TestWindow.outerSize(view.gtkWidget())
            return [size?.width ?? 0, size?.height ?? 0]
        }

        private static let pictures: [PixelSize?] = [
            nil, PixelSize(width: 800, height: 600), PixelSize(width: 8, height: 6), PixelSize(width: 40, height: 2000),
            nil,
            PixelSize(width: 2000, height: 40),
        ]

        @Test(arguments: Kind.allCases, Place.allCases.filter { !$0.isList })
        func viewKeepsItsSizeInAContainer(_ kind: Kind, _ place: Place) async throws {
            let view = try makeView(kind)
            view.fixedSize = CGSize(width: 96, height: 64)
            let window = try await TestWindow(try put(view.widget, in: place), width: 480, height: 320)
            defer { window.close() }
            for picture in Self.pictures {
                show(try picture.map { try TestImages.solid(width: $0.width, height: $0.height) }, in: view)
                try await turnLoop()
                let isRight = try await pump { size(view) == [96, 64] }
                try #require(isRight, "\(size(view)) with \(picture.map { "\($0)" } ?? "none")")
            }
            view.fixedSize = CGSize(width: 60, height: 200)
            #expect(try await pump { size(view) == [60, 200] }, "\(size(view))")
            #expect(view.fixedSize == CGSize(width: 60, height: 200))
        }

        @Test(arguments: [Place.listView, .gridView, .columnView, .fittingList])
        func viewKeepsItsSizeInARow(_ place: Place) async throws {
            let views = Views()
            let journey = try ViewJourney()
            let rows: [URL?] = [journey.jpeg, nil, journey.png, journey.server.url("/missing"), journey.jpeg]
            let make: @MainActor () -> FixedSizeRow = {
                let row = FixedSizeRow()
                views.all.append(row.imageView)
                return row
            }
            let request: @MainActor (Int) -> ImageListRequest? = { position in
                rows[position].map { ImageListRequest($0, context: journey.context) }
            }
            let list: OpaquePointer
            var kept: FittingList?
            if place == .fittingList {
                let fitting = FittingList(count: rows.count, request: request, make: make)
                (kept, list) = (fitting, fitting.widget)
            } else {
                let factory = ImageListFactory(request: request, make: make)
                let model = EmptyRows.model(rows.count)
                switch place {
                case .gridView:
                    list = try #require(OpaquePointer(gtk_grid_view_new(model, factory.retainedFactory())))
                case .columnView:
                    list = try #require(OpaquePointer(gtk_column_view_new(model)))
                    let column = gtk_column_view_column_new("Picture", factory.retainedFactory())
                    gtk_column_view_append_column(list, column)
                    g_object_unref(UnsafeMutableRawPointer(column))
                default: list = try #require(OpaquePointer(gtk_list_view_new(model, factory.retainedFactory())))
                }
            }
            let window = try await ListWindow(list, width: 480, height: 600)
            defer { window.close() }
            #expect(try await pump { views.all.count(where: { $0.image != nil }) >= 3 })
            try await window.rest()
            let shown = views.all.filter { gtk_widget_get_mapped($0.gtkWidget()) != 0 }
            #expect(!shown.isEmpty && shown.allSatisfy { size($0) == [48, 48] }, "\(shown.map(size))")
            withExtendedLifetime(kept) {}
        }

        /// One side is fixed. The other side follows from the picture.
        @Test(arguments: [Kind.image, .picture]) func otherSideFollowsFromThePicture(_ kind: Kind) async throws {
            let view = try #require(try makeView(kind) as? ImageView)
            let window = try await TestWindow(try put(view.widget, in: .scrolledColumn), width: 480, height: 700)
            defer { window.close() }
            for (width, height) in [(800, 600), (30, 60), (500, 50)] {
                view.image = try TestImages.solid(width: width, height: height)
                view.fixedSize = CGSize(width: 120, height: 0)
                #expect(try await pump { size(view) == [120, 120 * height / width] }, "\(size(view))")
                view.fixedSize = CGSize(width: 0, height: 30)
                #expect(try await pump { size(view)[1] == 30 }, "\(size(view))")
            }
        }

        @Test func sizeCanBeFreedAgain() async throws {
            let view = ImageView()
            view.image = try TestImages.solid(width: 200, height: 100)
            view.fixedSize = CGSize(width: 20, height: 20)
            #expect(view.naturalSize == CGSize(width: 20, height: 20))
            view.fixedSize = .zero
            #expect(view.naturalSize == CGSize(width: 200, height: 100))
            view.fixedSize = CGSize(width: -4, height: CGFloat.nan)
            #expect(view.fixedSize == .zero && view.naturalSize == CGSize(width: 200, height: 100))
        }

        /// A view with a fixed size need not wait for its layout.
        @Test func pictureIsDecodedForTheFixedSize() async throws {
            let journey = try ViewJourney()
            journey.server.route("/large.png", .body(try ViewJourney.file(.png, side: 700)))
            for size in [40, 90, 40] {
                let view = ImageView()
                view.fixedSize = CGSize(width: size, height: size)
                let answer = ViewAnswer()
                view.setImage(with: journey.server.url("/large.png"), context: journey.context, completed: answer.hear)
                #expect(try await answer.isSuccess(journey.server.url("/large.png")))
                #expect(view.image?.pixelSize.width == size)
            }
        }

        // MARK: Rows that fit

        /// Rows with a picture above a text, with pictures of many shapes, with a failure and without a picture.
        @Test(
            arguments: [Place.fittingList, .listView, .column],
            [FittingImageView.Axis.heightForWidth, .widthForHeight])
        func rowWithAWrappingLabelCausesNoCritical(_ place: Place, _ axis: FittingImageView.Axis) async throws {
            let journey = try ViewJourney()
            for (number, shape) in [(900, 60), (60, 900), (300, 300)].enumerated() {
                let file = try ImageCodersManager.shared.encode(
                    try TestImages.solid(width: shape.0, height: shape.1), format: .png, options: EncodingOptions())
                journey.server.route("/\(number).png", .body(file))
            }
            let request: @MainActor (Int) -> ImageListRequest? = { position in
                position % 5 == 4
                    ? nil : ImageListRequest(journey.server.url("/\(position % 5).png"), context: journey.context)
            }
            let messages = GTKMessages()
            defer { messages.end() }
            let list: OpaquePointer
            var kept: [AnyObject] = []
            switch place {
            case .fittingList:
                let fitting = FittingList(count: 20, request: request, make: { CaptionRow(axis) })
                kept = [fitting]
                list = fitting.widget
            case .listView:
                let factory = ImageListFactory(request: request, make: { CaptionRow(axis) })
                list = try #require(OpaquePointer(gtk_list_view_new(EmptyRows.model(20), factory.retainedFactory())))
            default:
                list = try #require(OpaquePointer(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)))
                for position in 0..<5 {
                    let row = CaptionRow(axis)
                    kept.append(row)
                    gtk_box_append(gtkCast(list), gtkCast(row.widget))
                    row.fitting.setImage(with: request(position)?.url, context: journey.context)
                }
            }
            let window = try await ListWindow(list, width: 200, height: 400)
            defer { window.close() }
            for width in [200, 120, 420, 60] {
                gtk_widget_set_size_request(gtkCast(window.scrolled), gint(width), 400)
                try await window.frames(4)
                window.value += 150
                try await window.frames(4)
            }
            #expect(messages.all.isEmpty, "\(messages.all.prefix(3))")
            withExtendedLifetime(kept) {}
        }

        @Test func rowWithoutAPictureTakesNoSpaceForIt() async throws {
            let journey = try ViewJourney()
            let placeholder = try TestImages.solid(width: 30, height: 20)
            var ends: [Int] = []
            let list = FittingList(
                count: 4,
                request: { position in
                    if position == 1 { return nil }
                    var request = ImageListRequest(
                        position == 0 ? journey.png : nil, placeholderImage: position == 3 ? placeholder : nil,
                        context: journey.context)
                    request.completed = { _, _, _, _ in ends.append(position) }
                    return request
                }, make: { CaptionRow() })
            let window = try await ListWindow(list.widget, width: 300, height: 900)
            defer { window.close() }
            func height(_ position: Int) -> Int {
                let view = list.row(at: position)?.fittingView
                return view.map { Int(gtk_widget_get_height($0.gtkWidget())) } ?? -1
            }
            #expect(try await pump { [0, 1, 2, 3].map(height) == [300, 0, 0, 200] }, "\([0, 1, 2, 3].map(height))")
            // The height follows from the header of the file, before the load ends.
            #expect(try await pump { !ends.isEmpty })
            // A row without a URL has no load that could end.
            #expect(ends == [0])
        }
    }
}

extension GTKSuite.FixedSizeTests.Place {
    var isList: Bool { [.listView, .gridView, .columnView, .fittingList].contains(self) }
}

/// The views of a list.
@MainActor private final class Views {
    var all: [ImageView] = []
}

/// An avatar beside a text.
@MainActor private final class FixedSizeRow: ImageListRow {
    let imageView = ImageView()
    private let view: WidgetView
    var widget: OpaquePointer { view.widget }

    init() {
        view = WidgetView.view(ofNew: gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6))
        imageView.fixedSize = CGSize(width: 48, height: 48)
        imageView.contentMode = .cover
        gtk_box_append(view.gtkWidget(), imageView.gtkWidget())
        gtk_box_append(view.gtkWidget(), gtk_label_new("A name"))
    }
}

/// A picture with its proportions above a text of several lines, or beside it.
@MainActor private final class CaptionRow: ImageListRow {
    let fitting: FittingImageView
    private let view: WidgetView
    var widget: OpaquePointer { view.widget }
    var imageView: ImageView { fitting.imageView }
    var fittingView: FittingImageView? { fitting }

    init(_ axis: FittingImageView.Axis = .heightForWidth) {
        fitting = FittingImageView(axis)
        let isAbove = axis == .heightForWidth
        view = WidgetView.view(
            ofNew: gtk_box_new(isAbove ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL, 6))
        let label = gtk_label_new(
            "A caption that is wrapped into several lines in a narrow window, and again in a wider one.")
        gtk_label_set_wrap(gtkCast(label), 1)
        gtk_box_append(view.gtkWidget(), fitting.gtkWidget())
        gtk_box_append(view.gtkWidget(), label)
    }
}

/// Collects the warnings and critical messages of GTK. GLib allows one writer for the whole process.
@MainActor private final class GTKMessages {
    nonisolated private static let recorded = Locked<[String]?>(nil)

    private static let install: Void = g_log_set_writer_func(
        { level, fields, count, data in
            let isCritical = level.rawValue & (G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_WARNING.rawValue) != 0
            if isCritical, let text = g_log_writer_format_fields(level, fields, count, 0) {
                GTKMessages.recorded.withLock { $0?.append(String(cString: text)) }
                g_free(text)
            }
            return g_log_writer_default(level, fields, count, data)
        }, nil, nil)

    init() {
        Self.install
        Self.recorded.withLock { $0 = [] }
    }

    var all: [String] { Self.recorded.withLock { $0 ?? [] } }

    func end() { Self.recorded.withLock { $0 = nil } }
}
