import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    /// Lists whose rows change while their pictures load.
    @Suite("Changing lists") @MainActor struct ListsChangingTests {
        enum Kind: CaseIterable {
            case list, grid, column, fitting
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

        private func makeRows(_ kind: Kind, _ policy: ScrollPrefetchPolicy) throws -> ChangingRows {
            let rows = ChangingRows(manager)
            try rows.makeList(kind, policy)
            return rows
        }

        /// A row is inserted above again and again while the pictures of the visible rows load.
        @Test(arguments: Kind.allCases) func rowsInsertedAboveAbortNoVisibleLoad(_ kind: Kind)
            async throws
        {
            let rows = try makeRows(kind, ScrollPrefetchPolicy())
            let window = try await ListWindow(try #require(rows.list), width: 120, height: 260)
            defer { window.close() }
            rows.insert(60, at: 0)
            #expect(try await pump { loader.loads.count >= 8 })
            try await window.frames(6)
            for _ in 0..<20 {
                rows.insert(1, at: 0)
                try await window.frames(3)
            }
            let asked = loader.requests.map(rows.item)
            #expect(asked.count == Set(asked).count, "requested again: \(asked.count - Set(asked).count)")
            let visible = rows.visible(in: window)
            #expect(!visible.isEmpty && visible.isSubset(of: Set(asked)))
            #expect(visible.isDisjoint(with: loader.cancelledURLs.map(rows.item)))
        }

        /// Random insertions, removals and sorts, with some pictures that arrive. A picture that stays visible during a
        /// change is neither requested again nor aborted, and every picture is requested at most as often as it became
        /// visible. The lists of five seeds and all kinds run at the same time.
        @Test(arguments: 0..<4) func randomChangesAbortNoVisibleLoad(_ group: Int) async throws {
            let histories = try await ChangeHistory.shown(seeds: UInt64(group * 5 + 1)...UInt64(group * 5 + 5))
            defer { for history in histories { history.window.close() } }
            #expect(try await pump { histories.allSatisfy { $0.loader.loads.count >= 3 } })
            for step in 0..<16 {
                for history in histories { history.change(isFirst: step == 0) }
                _ = try await pump { histories.allSatisfy { !$0.window.isDriven } }
                for history in histories { history.check(step) }
            }
            #expect(try await pump { histories.allSatisfy(\.hasRequestedEveryVisiblePicture) })
            for history in histories { history.checkRequestCounts() }
        }

        /// A sort that moves the first row nowhere, so the list does not scroll. GTK 4.18 binds no row then: each item keeps
        /// its row.
        @Test(arguments: [Kind.list, .grid, .column]) func rowsThatASortMakesVisibleAreLoaded(_ kind: Kind) async throws
        {
            let rows = try makeRows(kind, ScrollPrefetchPolicy(screensAhead: 0, screensBehind: 0))
            let window = try await ListWindow(try #require(rows.list), width: 120, height: 260)
            defer { window.close() }
            rows.insert(40, at: 0)
            for (row, hidden) in [(1, 30), (2, 25)] {
                #expect(try await pump { loader.requests.map(rows.item).contains(row) })
                try await window.frames(4)
                rows.swap(row, hidden)
                #expect(try await pump { loader.requests.map(rows.item).contains(hidden) })
                #expect(try await pump { loader.cancelledURLs.map(rows.item).contains(row) })
            }
            let asked = loader.requests.map(rows.item)
            #expect(asked.count == Set(asked).count)
        }

        /// Rows above the viewport are loaded ahead, and rows are inserted and removed above them.
        @Test func loadsAheadContinueInAFittingList() async throws {
            let rows = try makeRows(.fitting, ScrollPrefetchPolicy(screensAhead: 1, screensBehind: 1))
            let window = try await ListWindow(try #require(rows.list), width: 120, height: 260)
            defer { window.close() }
            rows.insert(100, at: 0)
            try await window.frames(4)
            rows.fitting?.scroll(to: 50)
            #expect(try await pump { Set(loader.requests.map(rows.item)).isSuperset(of: [48, 49, 50, 51, 54]) })
            // The loads ahead and behind reach the loader some threads later.
            var count = 0
            repeat {
                count = loader.requests.count
                try await window.frames(20)
            } while loader.requests.count != count
            let (asked, cancelled) = (loader.requests, loader.cancelCount)
            for round in 0..<12 {
                if round.isMultiple(of: 3) { rows.remove(at: 0, count: 1) } else { rows.insert(1, at: 0) }
                try await window.frames(4)
            }
            #expect(loader.requests == asked && loader.cancelCount == cancelled)
        }

        /// A row that is bound again may get another picture, or none.
        @Test func changedRowsShowTheirNewPictures() async throws {
            let rows = try makeRows(.list, ScrollPrefetchPolicy())
            let window = try await ListWindow(try #require(rows.list), width: 120, height: 260)
            defer { window.close() }
            rows.insert(20, at: 0)
            #expect(try await pump { loader.requests.map(rows.item).contains(2) })
            for (number, url) in [(200, rows.url(200)), (nil, nil), (201, rows.url(201)), (2, nil)] as [(Int?, URL?)] {
                rows.replacements[2] = .some(number.map(rows.url) ?? nil)
                rows.announceChange(at: 2)
                try await window.frames(4)
                if let number { #expect(try await pump { loader.requests.map(rows.item).contains(number) }) }
                guard let wanted = url ?? number.map(rows.url) ?? nil else {
                    #expect(rows.view(of: 2).map { $0.image == nil } == true)
                    continue
                }
                #expect(rows.view(of: 2)?.currentImageURL == wanted)
            }
            #expect(try await pump { loader.cancelledURLs.map(rows.item).contains(200) })
        }
    }
}

/// A list that random changes change, with the requests that belong to them.
@MainActor private final class ChangeHistory {
    let window: ListWindow
    let loader: FakeDataLoader
    private let folder: ScratchFolder
    private let rows: ChangingRows
    private let name: String
    private let png: Data
    private var random: SeededRandom
    private var (asked, cancelled) = (0, 0)
    /// The pictures that were visible before the last change, after every frame since, and after the last frame.
    private var (stayed, last) = (Set<Int>(), Set<Int>())
    /// How often each picture became visible.
    private var entries: [Int: Int] = [:]

    private init(_ source: Source, _ window: ListWindow) throws {
        (random, name) = (SeededRandom(seed: source.seed), "\(source.kind), seed \(source.seed)")
        (rows, loader, folder, self.window) = (source.rows, source.loader, source.folder, window)
        png = try TestPNG.solid(width: 40, height: 40)
        rows.insert(40, at: 0)
    }

    private struct Source {
        let kind: GTKSuite.ListsChangingTests.Kind
        let seed: UInt64
        let loader = FakeDataLoader()
        let folder: ScratchFolder
        let rows: ChangingRows

        @MainActor init(_ kind: GTKSuite.ListsChangingTests.Kind, _ seed: UInt64) throws {
            (self.kind, self.seed, folder) = (kind, seed, try ScratchFolder())
            rows = ChangingRows(
                WebImageManager(
                    cache: ImageCache(namespace: "lists", diskCacheDirectory: folder.url.path), loader: loader))
            try rows.makeList(kind, ScrollPrefetchPolicy(screensAhead: 0, screensBehind: 0))
        }
    }

    /// Makes a list of each kind for each seed, and shows all of them in one window.
    static func shown(seeds: ClosedRange<UInt64>) async throws -> [ChangeHistory] {
        var sources: [Source] = []
        for kind in GTKSuite.ListsChangingTests.Kind.allCases {
            for seed in seeds { sources.append(try Source(kind, seed)) }
        }
        let windows = try await ListWindow.grid(try sources.map { try #require($0.rows.list) }, width: 120, height: 260)
        return try zip(sources, windows).map { try ChangeHistory($0, $1) }
    }

    var hasRequestedEveryVisiblePicture: Bool { last.isSubset(of: Set(loader.requests.map(rows.item))) }

    /// Changes the list, except the first time, and draws some frames.
    func change(isFirst: Bool) {
        (asked, cancelled) = (loader.requests.count, loader.cancelledURLs.count)
        stayed = last
        window.afterEveryFrame { [weak self] in self?.look() }
        let count = rows.items.count
        switch isFirst ? 7 : random.next() % 7 {
        case 0, 1: rows.insert(1 + Int(random.next() % 3), at: Int(random.next() % 3))
        case 2: rows.insert(1, at: Int(random.next() % UInt64(count)))
        case 3: rows.remove(at: Int(random.next() % 10), count: 1 + Int(random.next() % 2))
        case 4: rows.shuffle(first: 4 + Int(random.next() % 4), by: &random)
        case 5: rows.shuffle(first: count, by: &random)
        default: if !isFirst, let load = loader.loads.last { loader.answer(load.url, with: .success(png)) }
        }
        var frames = 0
        window.everyFrame { [window] in
            frames += 1
            gtk_widget_queue_draw(gtkCast(window.scrolled))
            return frames < 5
        }
    }

    private func look() {
        let now = rows.visible(in: window)
        for item in now.subtracting(last) { entries[item, default: 0] += 1 }
        (stayed, last) = (stayed.intersection(now), now)
    }

    func check(_ step: Int) {
        window.stopLooking()
        let again = loader.requests.dropFirst(asked).map(rows.item)
        let aborted = loader.cancelledURLs.dropFirst(cancelled).map(rows.item)
        #expect(stayed.isDisjoint(with: aborted), "\(name), step \(step)")
        let earlier = Set(loader.requests.prefix(asked).map(rows.item))
        #expect(stayed.intersection(earlier).isDisjoint(with: again), "\(name), step \(step)")
    }

    func checkRequestCounts() {
        #expect(!entries.isEmpty)
        for (item, count) in Dictionary(loader.requests.map { (rows.item($0), 1) }, uniquingKeysWith: +) {
            #expect(count <= entries[item] ?? 0, "picture \(item), \(name)")
        }
    }
}

/// A list with a picture for each item. The items keep their identity when the list is sorted.
@MainActor private final class ChangingRows {
    private(set) var items: [Int] = []
    private(set) var list: OpaquePointer?
    private(set) var fitting: FittingList?
    private var kind: GTKSuite.ListsChangingTests.Kind?
    /// The URLs of items that have another picture than at first.
    var replacements: [Int: URL?] = [:]
    private let manager: WebImageManager
    private let store = g_list_store_new(g_object_get_type())
    private var objects: [Int: UnsafeMutableRawPointer] = [:]
    private var next = 0
    private var made: [(row: FixedRow, item: Int)] = []

    init(_ manager: WebImageManager) { self.manager = manager }

    isolated deinit {
        for object in objects.values { g_object_unref(object) }
        if let store { g_object_unref(UnsafeMutableRawPointer(store)) }
    }

    func url(_ item: Int) -> URL { URL(string: "https://images.test/\(item).png") ?? URL(fileURLWithPath: "/") }

    func item(_ url: URL) -> Int { Int(url.deletingPathExtension().lastPathComponent) ?? -1 }

    private func request(_ position: Int) -> ImageListRequest? {
        guard items.indices.contains(position) else { return nil }
        let item = items[position]
        let url = replacements[item] ?? url(item)
        return ImageListRequest(url, context: [.customManager: manager])
    }

    func makeList(_ kind: GTKSuite.ListsChangingTests.Kind, _ policy: ScrollPrefetchPolicy) throws {
        self.kind = kind
        if kind == .fitting {
            let list = FittingList(
                count: 0, defaultExtent: 50, policy: policy, request: { [weak self] in self?.request($0) },
                make: { FixedRow(side: 50) })
            (fitting, self.list) = (list, list.widget)
            return
        }
        let factory = ImageListFactory(
            policy: policy, request: { [weak self] in self?.request($0) }, make: { FixedRow(side: 50) },
            bind: { [weak self] row, position in
                guard let self, items.indices.contains(position) else { return }
                made.removeAll { $0.row === row }
                made.append((row, items[position]))
            })
        let store = try #require(store)
        g_object_ref(UnsafeMutableRawPointer(store))
        let model = gtk_no_selection_new(store)
        switch kind {
        case .list, .fitting: list = gtkCast(gtk_list_view_new(model, factory.retainedFactory()))
        case .grid:
            let grid = try #require(OpaquePointer(gtk_grid_view_new(model, factory.retainedFactory())))
            gtk_grid_view_set_min_columns(grid, 2)
            gtk_grid_view_set_max_columns(grid, 2)
            list = grid
        case .column:
            let view = try #require(OpaquePointer(gtk_column_view_new(model)))
            let column = gtk_column_view_column_new("Picture", factory.retainedFactory())
            gtk_column_view_append_column(view, column)
            g_object_unref(UnsafeMutableRawPointer(column))
            list = view
        }
    }

    private func splice(_ position: Int, removing count: Int, adding new: [Int]) {
        items.replaceSubrange(position..<position + count, with: new)
        if let fitting {
            if count > 0 { fitting.removeRows(position..<position + count) }
            if !new.isEmpty { fitting.insertRows(new.count, at: position) }
            return
        }
        var added = new.map { item -> UnsafeMutableRawPointer? in
            if let known = objects[item] { return known }
            let object = UnsafeMutableRawPointer(g_object_new_with_properties(g_object_get_type(), 0, nil, nil))
            objects[item] = object
            return object
        }
        g_list_store_splice(store, guint(position), guint(count), &added, guint(new.count))
    }

    func insert(_ count: Int, at position: Int) {
        defer { next += count }
        splice(min(position, items.count), removing: 0, adding: Array(next..<next + count))
    }

    func remove(at position: Int, count: Int) {
        splice(position, removing: count, adding: [])
    }

    /// Sorts the first rows in a random order. A list without a model is told of each row that moves.
    func shuffle(first count: Int, by random: inout SeededRandom) {
        guard fitting != nil else {
            return splice(0, removing: count, adding: items.prefix(count).shuffled(using: &random))
        }
        let (from, to) = (Int(random.next() % UInt64(count)), Int(random.next() % UInt64(count)))
        let item = items[from]
        splice(from, removing: 1, adding: [])
        splice(to, removing: 0, adding: [item])
    }

    /// Sorts all rows so that two of them exchange their positions.
    func swap(_ first: Int, _ second: Int) {
        var sorted = items
        sorted.swapAt(first, second)
        splice(0, removing: items.count, adding: sorted)
    }

    /// Tells the list that an item has changed. The item gets a new object, because GTK 4.18 does not bind a row again whose
    /// object stays the same.
    func announceChange(at position: Int) {
        if let object = objects.removeValue(forKey: items[position]) { g_object_unref(object) }
        splice(position, removing: 1, adding: [items[position]])
    }

    func view(of item: Int) -> ImageView? { made.last { $0.item == item }?.row.imageView }

    /// The items with at least one visible pixel.
    func visible(in window: ListWindow) -> Set<Int> {
        if let fitting { return Set(fitting.visiblePositions.map { items[$0] }) }
        let height = Double(gtk_widget_get_height(gtkCast(window.scrolled)))
        // The rows of a column view begin below its header.
        let top = (kind == .column ? gtk_widget_get_last_child(gtkCast(window.list)) : nil)
            .flatMap { window.vertical(OpaquePointer($0))?.start }
        return Set(
            made.filter { entry in
                window.vertical(entry.row.widget).map { $0.end > top ?? 0 && $0.start < height } ?? false
            }.map(\.item))
    }
}
