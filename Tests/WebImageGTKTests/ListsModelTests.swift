import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    /// Lists whose models change. The lists must request no position outside the model.
    @Suite("Changing models", .timeLimit(minutes: 30)) @MainActor struct ListsModelTests {
        let loader = FakeDataLoader()
        let folder: ScratchFolder
        let manager: WebImageManager
        /// The seeds of the random changes: four, or as many as `WEBIMAGE_LIST_SEEDS` says.
        nonisolated private static let seeds: ClosedRange<UInt64> =
            1...max(ProcessInfo.processInfo.environment["WEBIMAGE_LIST_SEEDS"].flatMap { UInt64($0) } ?? 4, 1)

        init() throws {
            try Display.open()
            folder = try ScratchFolder()
            manager = WebImageManager(
                cache: ImageCache(namespace: "models", diskCacheDirectory: folder.url.path), loader: loader)
        }

        /// The numbers of a model's rows, and every position that a list requested outside of the model.
        @MainActor final class Rows {
            var numbers: [Int]
            var wrong: [String] = []
            let store: OpaquePointer? = g_list_store_new(g_object_get_type())
            let manager: WebImageManager
            private var next = 0

            init(_ count: Int, _ manager: WebImageManager) {
                self.manager = manager
                numbers = []
                insert(count, at: 0)
            }

            isolated deinit { if let store { g_object_unref(UnsafeMutableRawPointer(store)) } }

            func request(_ position: Int) -> ImageListRequest? {
                guard numbers.indices.contains(position) else {
                    wrong.append("requested \(position) of \(numbers.count)")
                    return nil
                }
                return ImageListRequest(
                    URL(string: "https://images.test/\(numbers[position]).png"), context: [.customManager: manager])
            }

            func bind(_ position: Int) {
                if !numbers.indices.contains(position) { wrong.append("bound \(position) of \(numbers.count)") }
            }

            /// Changes the numbers first and the model afterwards, as the text of the guide does.
            func splice(_ position: Int, removing removed: Int, adding added: [Int]) {
                numbers.replaceSubrange(position..<position + removed, with: added)
                var objects: [UnsafeMutableRawPointer?] = added.map { _ in
                    UnsafeMutableRawPointer(g_object_new_with_properties(g_object_get_type(), 0, nil, nil))
                }
                g_list_store_splice(store, guint(position), guint(removed), &objects, guint(added.count))
                for object in objects { g_object_unref(object) }
            }

            func fresh(_ count: Int) -> [Int] {
                defer { next += count }
                return Array(next..<next + count)
            }

            func insert(_ count: Int, at position: Int) { splice(position, removing: 0, adding: fresh(count)) }
        }

        private func makeList(_ rows: Rows, isGrid: Bool) throws -> OpaquePointer {
            let factory = ImageListFactory(
                request: { [weak rows] in rows?.request($0) }, make: { FixedRow(side: 50) },
                bind: { [weak rows] _, position in rows?.bind(position) })
            let store = try #require(rows.store)
            g_object_ref(UnsafeMutableRawPointer(store))
            let model = gtk_no_selection_new(store)
            guard isGrid else {
                return try #require(gtkCast(gtk_list_view_new(model, factory.retainedFactory())))
            }
            let grid = try #require(OpaquePointer(gtk_grid_view_new(model, factory.retainedFactory())))
            gtk_grid_view_set_min_columns(grid, 3)
            gtk_grid_view_set_max_columns(grid, 3)
            return grid
        }

        @Test(arguments: [false, true]) func rowsRemovedFromTheModelAreNotRequested(isGrid: Bool) async throws {
            let rows = Rows(30, manager)
            let window = try await ListWindow(try makeList(rows, isGrid: isGrid), width: 200, height: 300)
            defer { window.close() }
            #expect(try await pump { loader.requests.count > 8 })
            try await window.rest()
            rows.splice(4, removing: 26, adding: [])
            try await window.rest()
            rows.splice(0, removing: 4, adding: [])
            try await window.rest()
            #expect(rows.wrong == [])
            #expect(try await pump { !manager.isRunning })
        }

        /// Random changes of the model, scrolls and resizes, with the handle of the factory released at once.
        @Test(arguments: [false, true], seeds)
        func randomChangesRequestNoPositionOutsideTheModel(isGrid: Bool, seed: UInt64) async throws {
            var random = SeededRandom(seed: seed)
            let rows = Rows(Int(random.next() % 200), manager)
            let window = try await ListWindow(try makeList(rows, isGrid: isGrid), width: 200, height: 300)
            defer { window.close() }
            for _ in 0..<60 {
                let count = rows.numbers.count
                switch random.next() % 7 {
                case 0: rows.insert(Int(random.next() % 20), at: Int(random.next() % UInt64(count + 1)))
                case 1, 2:
                    let start = Int(random.next() % UInt64(count + 1))
                    rows.splice(start, removing: min(count - start, Int(random.next() % 30)), adding: [])
                case 3: rows.splice(0, removing: count, adding: random.next() % 2 == 0 ? [] : rows.fresh(50))
                case 4: rows.splice(0, removing: count, adding: rows.numbers.shuffled(using: &random))
                case 5:
                    let range = max(gtk_adjustment_get_upper(window.adjustment), 1)
                    window.value = Double(random.next() % UInt64(range))
                default:
                    gtk_widget_set_size_request(
                        gtkCast(window.scrolled), gint(60 + random.next() % 200), gint(60 + random.next() % 400))
                }
                if random.next() % 3 != 0 { try await window.frames(Int(random.next() % 3) + 1) }
            }
            #expect(rows.wrong == [], "seed \(seed)")
            rows.splice(0, removing: rows.numbers.count, adding: [])
            try await window.rest()
            #expect(rows.wrong == [], "seed \(seed)")
            #expect(try await pump { !manager.isRunning }, "seed \(seed)")
        }

        /// Random changes of a list whose rows fit, with some rows' images arriving. The handle is released at a random
        /// step; the widget then only scrolls and resizes.
        @Test(arguments: [FittingList.Direction.vertical, .horizontal], seeds)
        func randomChangesOfAFittingListRequestNoPositionOutsideIt(
            _ direction: FittingList.Direction, seed: UInt64
        ) async throws {
            var random = SeededRandom(seed: seed)
            let rows = Rows(Int(random.next() % 100), manager)
            var list: FittingList? = FittingList(
                direction, count: rows.numbers.count, spacing: Int(random.next() % 9), defaultExtent: 60,
                request: { [weak rows] in rows?.request($0) },
                make: { FittingImageView(direction == .vertical ? .heightForWidth : .widthForHeight) },
                bind: { [weak rows] _, position in rows?.bind(position) })
            if random.next() % 2 == 0 { gtk_widget_set_direction(list?.gtkWidget(), GTK_TEXT_DIR_RTL) }
            list?.selectionMode = .single
            let window = try await ListWindow(try #require(list).widget, width: 200, height: 300)
            defer { window.close() }
            let file = try TestPNG.solid(width: 40, height: 30)
            let release = Int(random.next() % 120)
            for step in 0..<80 {
                if step == release { list = nil }
                let count = rows.numbers.count
                switch random.next() % 8 {
                case 0 where list != nil:
                    let (added, start) = (Int(random.next() % 20), Int(random.next() % UInt64(count + 1)))
                    rows.insert(added, at: start)
                    list?.insertRows(added, at: start)
                case 1 where list != nil, 2 where list != nil:
                    let start = Int(random.next() % UInt64(count + 1))
                    let removed = min(count - start, Int(random.next() % 30))
                    rows.splice(start, removing: removed, adding: [])
                    list?.removeRows(start..<start + removed)
                case 3 where list != nil:
                    rows.splice(0, removing: count, adding: random.next() % 2 == 0 ? [] : rows.fresh(50))
                    list?.reload(count: rows.numbers.count)
                case 4 where list != nil:
                    list?.selectedPosition = Int(random.next() % UInt64(count + 2))
                    if count > 0 { list?.scroll(to: Int(random.next() % UInt64(count))) }
                case 5:
                    for load in loader.loads.suffix(3) { loader.answer(load.url, with: .success(file)) }
                case 6:
                    let adjustment =
                        direction == .vertical
                        ? window.adjustment : gtk_scrolled_window_get_hadjustment(window.scrolled)
                    let (lower, upper) = (gtk_adjustment_get_lower(adjustment), gtk_adjustment_get_upper(adjustment))
                    gtk_adjustment_set_value(
                        adjustment, lower + Double(random.next() % UInt64(max(upper - lower, 1))))
                default:
                    gtk_widget_set_size_request(
                        gtkCast(window.scrolled), gint(60 + random.next() % 200), gint(60 + random.next() % 400))
                }
                if random.next() % 3 != 0 { try await window.frames(Int(random.next() % 3) + 1) }
            }
            #expect(rows.wrong == [], "seed \(seed)")
        }
    }
}
