import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    @Suite("List factory") @MainActor struct ListsFactoryTests {
        enum Kind: CaseIterable {
            case list, grid, column
        }

        let loader = FakeDataLoader()
        let folder: ScratchFolder
        let manager: WebImageManager

        init() throws {
            try Display.open()
            folder = try ScratchFolder()
            manager = WebImageManager(
                cache: ImageCache(namespace: "lists", diskCacheDirectory: folder.url.path), loader: loader)
        }

        private func url(_ position: Int) -> URL {
            URL(string: "https://images.test/\(position).png") ?? URL(fileURLWithPath: "/")
        }

        private func position(_ url: URL) -> Int { Int(url.deletingPathExtension().lastPathComponent) ?? -1 }

        private func makeFactory() -> ImageListFactory {
            ImageListFactory(
                request: { ImageListRequest(url($0), context: [.customManager: manager]) },
                make: { FixedRow(side: 50) })
        }

        private func makeList(_ kind: Kind, _ factory: ImageListFactory, rows: Int = 1000) throws -> OpaquePointer {
            let model = EmptyRows.model(rows)
            switch kind {
            case .list: return try #require(OpaquePointer(gtk_list_view_new(model, factory.retainedFactory())))
            case .grid:
                let grid = try #require(OpaquePointer(gtk_grid_view_new(model, factory.retainedFactory())))
                gtk_grid_view_set_min_columns(grid, 3)
                gtk_grid_view_set_max_columns(grid, 3)
                return grid
            case .column:
                let view = try #require(OpaquePointer(gtk_column_view_new(model)))
                let column = gtk_column_view_column_new("Picture", factory.retainedFactory())
                gtk_column_view_append_column(view, column)
                g_object_unref(UnsafeMutableRawPointer(column))
                return view
            }
        }

        private var asked: Set<Int> { Set(loader.requests.map(position)) }

        /// Whether the loads of the visible rows and of the next two screens have reached the loader.
        private var isAllAsked: Bool {
            let seen = loader.loads.count { $0.priority == .high }
            return seen >= 3 && asked == Set(0..<seen * 3)
        }

        @Test func rowsReportTheEndOfTheirLoads() async throws {
            let file = try #require(try TestImages.solid(width: 20, height: 20).imageData(as: .png))
            for index in 0..<4 { loader.answer(url(index), with: .success(file)) }
            var ends: [Int: [WebImageError?]] = [:]
            let factory = ImageListFactory(
                request: { position in
                    var request = ImageListRequest(url(position), context: [.customManager: manager])
                    request.completed = { _, error, _, _ in ends[position, default: []].append(error) }
                    return request
                },
                make: { FixedRow(side: 50) })
            let window = try await ListWindow(try makeList(.list, factory, rows: 4), width: 100, height: 300)
            defer { window.close() }
            _ = try await pump { ends.count == 4 }
            #expect(ends.values.allSatisfy { $0.count == 1 && $0[0] == nil })
        }

        @Test(arguments: Kind.allCases) func whatIsSeenIsLoadedFirstAndOnlyWhatComesNextBeside(
            _ kind: Kind
        ) async throws {
            let factory = makeFactory()
            let window = try await ListWindow(try makeList(kind, factory), width: 200, height: 300)
            defer { window.close() }
            func positions(at priority: LoadPriority) -> Set<Int> {
                Set(loader.loads.filter { $0.priority == priority }.map { position($0.url) })
            }
            // GTK binds about 160 rows. The list loads only the visible rows (high priority) and the next two screens
            // (low priority).
            func isAsked() -> Bool {
                let seen = positions(at: .high).count
                // Between 3 and 21 rows are visible. The number depends on the width of the theme's row borders.
                return (3...21).contains(seen) && positions(at: .high) == Set(0..<seen)
                    && positions(at: .low) == Set(seen..<seen * 3)
            }
            #expect(try await pump { isAsked() })
            try await window.rest()
            #expect(isAsked())
            #expect(loader.requests.count == asked.count)
        }

        @Test(arguments: Kind.allCases) func loadsOfRowsScrolledAwayAreCancelled(_ kind: Kind) async throws {
            let factory = makeFactory()
            let window = try await ListWindow(try makeList(kind, factory), width: 200, height: 300)
            defer { window.close() }
            #expect(try await pump { isAllAsked })
            try await window.rest()
            #expect(try await pump { isAllAsked })
            let before = asked
            window.value = gtk_adjustment_get_upper(window.adjustment) / 2
            #expect(try await pump { loader.cancelCount >= before.count })
            #expect(try await pump { asked.count > before.count + 8 })
            let new = asked.subtracting(before)
            #expect(!new.isEmpty && new.allSatisfy { $0 > 300 && $0 < 700 })
            // GTK can show an empty list after such a jump, so check that at least one row is visible.
            #expect(
                try await pump {
                    FixedRow.all.contains { window.vertical($0.widget).map { $0.end > 0 && $0.start < 300 } == true }
                })
        }

        @Test func visibleRowRaisesThePriorityOfItsLoad() async throws {
            let factory = makeFactory()
            let window = try await ListWindow(try makeList(.list, factory), width: 200, height: 300)
            defer { window.close() }
            #expect(try await pump { isAllAsked })
            try await window.rest()
            #expect(try await pump { isAllAsked })
            // Choose the low-priority load whose row is nearest to the viewport. This load is not always the first load
            // that reached the loader.
            let waiting = loader.loads.filter { $0.priority == .low }
            let ahead = try #require(waiting.min { position($0.url) < position($1.url) })
            let handle = try #require(ahead.priorityHandle)
            #expect(handle.priority == .low)
            window.value = 100
            #expect(try await pump { handle.priority == .high })
            #expect(loader.requests.count(where: { $0 == ahead.url }) == 1)
            window.value = 0
            #expect(try await pump { handle.priority == .low })
        }

        @Test func memoryHitIsShownWhenItsRowIsBound() async throws {
            let cache = try #require(manager.imageCache as? ImageCache)
            for position in 0..<1000 {
                cache.storeImage(
                    try TestImages.solid(width: 2, height: 2), forKey: manager.cacheKey(for: url(position)),
                    toDisk: false)
            }
            let factory = makeFactory()
            let window = try await ListWindow(try makeList(.list, factory), width: 200, height: 300)
            defer { window.close() }
            var (frames, empty) = (0, 0)
            window.afterEveryFrame {
                frames += 1
                empty += FixedRow.all.count { row in
                    guard let place = window.vertical(row.widget), place.end > 0, place.start < 300 else {
                        return false
                    }
                    return row.imageView.image == nil
                }
            }
            var left = 60
            window.everyFrame {
                window.value += 777
                left -= 1
                return left > 0
            }
            _ = try await pump { !window.isDriven }
            #expect(frames >= 50)
            #expect(empty == 0)
            #expect(loader.requests.isEmpty)
        }

        @Test(arguments: Kind.allCases) func idleListDrawsNoFrames(_ kind: Kind) async throws {
            for position in 0..<200 {
                loader.answer(url(position), with: .success(try TestPNG.solid(width: 4, height: 4)))
            }
            let factory = makeFactory()
            let window = try await ListWindow(try makeList(kind, factory, rows: 200), width: 200, height: 300)
            defer { window.close() }
            window.value = 400
            try await window.frames(3)
            #expect(try await pump { asked.count > 10 && !manager.isRunning })
            try await window.rest()
            var frames = 0
            window.afterEveryFrame { frames += 1 }
            // Wait for 400 ms. No event shows that a frame will not come.
            let end = ContinuousClock.now + .milliseconds(400)
            _ = try await pump { ContinuousClock.now > end }
            #expect(frames == 0)
        }

        @Test func rowsInsertedAboveMoveTheLoadedRange() async throws {
            let factory = makeFactory()
            let list = try makeList(.list, factory)
            let window = try await ListWindow(list, width: 200, height: 300)
            defer { window.close() }
            _ = try await pump { asked.count > 8 }
            try await window.rest()
            let model = gtk_list_view_get_model(list)
            let store = gtk_no_selection_get_model(model)
            let new = g_object_new_with_properties(g_object_get_type(), 0, nil, nil)
            g_list_store_append(store, new)
            g_list_store_insert(store, 0, new)
            g_object_unref(new)
            window.value = 30
            try await window.rest()
            #expect(loader.cancelCount <= asked.count)
            window.value = 25_000
            #expect(try await pump { asked.contains { $0 > 400 } })
        }

        @Test func destroyedListIsFreed() async throws {
            try await turnLoop()
            let live = GTKHandles.live
            for round in 0..<6 {
                var factory: ImageListFactory? = makeFactory()
                let kind = Kind.allCases[round % 3]
                let window = try await ListWindow(try makeList(kind, try #require(factory)), width: 200, height: 300)
                if round > 2 { _ = try await pump { asked.count > 8 } }
                factory = nil
                window.close()
            }
            #expect(try await pump { GTKHandles.hasNoMore(than: live) }, "\(GTKHandles.live) after \(live)")
            #expect(try await pump { HandleLedger.live["list factory"] == nil })
            #expect(try await pump { !manager.isRunning })
        }

        @Test func thousandBindsOfTwoHundredPicturesAreTwoHundredRequestsAndDecodes() async throws {
            let picture = try ImageCodersManager.shared.encode(
                try Image.generated(width: 400, height: 400) { (UInt8($0 & 255), UInt8($1 & 255), 90, 255) },
                format: .jpeg, options: EncodingOptions())
            let server = try FaultServer()
            defer { server.stop() }
            for number in 0..<200 { server.route("/\(number).jpg", .body(picture, type: "image/jpeg")) }
            let count = DecodeCount()
            let manager = WebImageManager(
                cache: ImageCache(namespace: "binds", diskCacheDirectory: folder.url.path),
                loader: ImageLoadersManager.shared)
            manager.listener = count
            var binds = 0
            let factory = ImageListFactory(
                request: { position in
                    ImageListRequest(
                        server.url("/\(position % 200).jpg"),
                        context: [
                            .customManager: manager, .imageThumbnailPixelSize: CGSize(width: 96, height: 96),
                        ])
                },
                make: { FixedRow(side: 96) }, bind: { _, _ in binds += 1 })
            let window = try await ListWindow(try makeList(.list, factory), width: 200, height: 960)
            defer { window.close() }
            while binds < 1000, window.value + 960 < gtk_adjustment_get_upper(window.adjustment) {
                _ = try await pump {
                    FixedRow.all.allSatisfy { row in
                        guard let place = window.vertical(row.widget), place.end > 0, place.start < 960 else {
                            return true
                        }
                        return row.imageView.image != nil
                    }
                }
                window.value += 860
                try await window.frames(3)
            }
            _ = try await pump { !manager.isRunning }
            #expect(binds >= 1000)
            #expect(server.requests.count == 200)
            #expect(count.decodes == 200)
            let shown = FixedRow.all.compactMap(\.imageView.image)
            #expect(!shown.isEmpty && shown.allSatisfy { $0.pixelSize == PixelSize(width: 96, height: 96) })
        }
    }
}

/// A square row of a fixed size.
@MainActor final class FixedRow: ImageListRow {
    let imageView = ImageView()
    var widget: OpaquePointer { imageView.widget }
    private static var made: [Weak] = []

    private struct Weak { weak var row: FixedRow? }

    /// All rows that have not been released.
    static var all: [FixedRow] { made.compactMap(\.row) }

    init(side: Int) {
        gtk_widget_set_size_request(UnsafeMutablePointer(widget), gint(side), gint(side))
        Self.made = Self.made.filter { $0.row != nil } + [Weak(row: self)]
    }
}

/// A listener that counts decodes.
private final class DecodeCount: WebImageManagerListener {
    private let count = Locked(0)

    var decodes: Int { count.withLock { $0 } }

    func imageManager(_ imageManager: WebImageManager, didBegin span: WebImageStageSpan) {
        if span.stage == .decode { count.withLock { $0 += 1 } }
    }

    func imageManager(_ imageManager: WebImageManager, didEnd report: WebImageStageReport) {}
}

enum TestPNG {
    static func solid(width: Int, height: Int) throws -> Data {
        try ImageCodersManager.shared.encode(
            try TestImages.solid(width: width, height: height), format: .png, options: EncodingOptions())
    }
}
