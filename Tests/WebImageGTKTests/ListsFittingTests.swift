import CWebImageGTK
import CWebImageGTKShim
import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    @Suite("Rows that fit", .tags(.v13)) @MainActor struct ListsFittingTests {
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

        private func request(_ position: Int) -> ImageListRequest {
            ImageListRequest(url(position), context: [.customManager: manager])
        }

        private func png(_ width: Int, _ height: Int) throws -> Data {
            try ImageCodersManager.shared.encode(
                try TestImages.solid(width: width, height: height), format: .png, options: EncodingOptions())
        }

        /// Returns the height in pixels (24 to 144) of a row in a list that is 80 px wide.
        private func height(_ position: Int) -> Int { 24 + (position &* 7919) % 121 }

        @Test func rowHasTheHeightOfTheHeaderOfItsImage() async throws {
            let list = FittingList(count: 3, request: request)
            let window = try await ListWindow(list.widget, width: 90, height: 400)
            defer { window.close() }
            #expect(try await pump { loader.requests.contains(url(1)) && list.row(at: 1) != nil })
            let row = try #require(list.row(at: 1))
            #expect(try await pump { gtk_widget_get_height(UnsafeMutablePointer(row.widget)) == 60 })
            // Send the PNG signature and header (33 bytes) but no pixels.
            loader.send(try png(30, 50).prefix(33), for: url(1))
            #expect(try await pump { gtk_widget_get_height(UnsafeMutablePointer(row.widget)) == 150 })
            #expect(row.imageView.image == nil)
            #expect(row.fittingView?.proportions == PixelSize(width: 30, height: 50))
        }

        @Test func rowOfAKnownImageHasItsHeightInTheFirstFrame() async throws {
            let cache = try #require(manager.imageCache as? ImageCache)
            for position in 0..<3 {
                let key = manager.cacheKey(for: url(position))
                cache.storeImage(try TestImages.solid(width: 10, height: 20), forKey: key, toDisk: false)
                // The cache still knows the pixel size after the image is removed from memory.
                cache.removeImageFromMemory(forKey: key)
            }
            var heights: Set<Int> = []
            let list = FittingList(count: 3, request: request)
            let window = try await ListWindow(list.widget, width: 90, height: 400)
            defer { window.close() }
            window.afterEveryFrame {
                guard let row = list.row(at: 0), let place = window.vertical(row.widget) else { return }
                heights.insert(Int(place.end - place.start))
            }
            gtk_widget_queue_draw(UnsafeMutablePointer(list.widget))
            #expect(try await pump { !heights.isEmpty })
            #expect(heights == [180])
            #expect(list.row(at: 0)?.imageView.image == nil)
        }

        @Test(arguments: [Int.min, -1, 40_000, .max]) func strangeSpacingsAndExtentsAreLimited(_ length: Int)
            async throws
        {
            let list = FittingList(count: 3, spacing: length, defaultExtent: length, request: request)
            let window = try await ListWindow(list.widget, width: 90, height: 100)
            defer { window.close() }
            #expect(try await pump { list.row(at: 0) != nil })
            list.insertRows(2, at: 1)
            list.reload(count: 4)
            try await window.frames(2)
            #expect(list.count == 4 && gtk_adjustment_get_upper(window.adjustment) <= 4 * 65_534)
        }

        @Test func horizontalListIsMirroredFromRightToLeft() async throws {
            let list = FittingList(
                .horizontal, count: 50, spacing: 4, request: request, make: { FittingImageView(.widthForHeight) })
            gtk_widget_set_direction(gtkCast(list.widget), GTK_TEXT_DIR_RTL)
            list.selectionMode = .single
            let window = try await ListWindow(list.widget, width: 400, height: 90)
            defer { window.close() }
            /// Returns the left and right edge of a row.
            func place(_ position: Int) -> [Int]? {
                guard let row = list.row(at: position) else { return nil }
                var bounds = graphene_rect_t()
                guard gtk_widget_compute_bounds(gtkCast(row.widget), gtkCast(list.widget), &bounds) != 0 else {
                    return nil
                }
                return [Int(bounds.origin.x), Int(bounds.origin.x + bounds.size.width)]
            }
            // Rows are 135 px wide before their images are known: 3 to 2.
            #expect(try await pump { place(0) == [265, 400] && place(1) == [126, 261] })
            loader.answer(url(0), with: .success(try png(90, 90)))
            #expect(try await pump { place(0) == [310, 400] && place(1) == [171, 306] })
            let adjustment = gtk_scrolled_window_get_hadjustment(window.scrolled)
            let start = gtk_adjustment_get_value(adjustment)
            #expect(start + gtk_adjustment_get_page_size(adjustment) == gtk_adjustment_get_upper(adjustment))
            // A scroll to the left shows later rows; a row that grows at the right does not move the visible rows.
            gtk_adjustment_set_value(adjustment, start - 200)
            #expect(try await pump { place(1) == [371, 506] && list.visiblePositions.lowerBound == 1 })
            list.scroll(to: 20)
            #expect(try await pump { place(20)?[1] == 400 })
            let before = place(21)
            loader.answer(url(19), with: .success(try png(90, 45)))
            try await window.rest()
            #expect(place(21) == before && list.visiblePositions.lowerBound == 20)
            // Left moves to the next row.
            list.selectedPosition = 20
            #expect(list.core.hasKey(webimage_list_previous))
            #expect(list.selectedPosition == 21)
            // The rows follow a change of the direction.
            gtk_widget_set_direction(gtkCast(list.widget), GTK_TEXT_DIR_LTR)
            #expect(try await pump { place(20)?[0] == 0 })
        }

        @Test func reloadKeepsThePicturesOfItsRows() async throws {
            let list = FittingList(count: 3) {
                ImageListRequest(url($0), options: .fromLoaderOnly, context: [.customManager: manager])
            }
            let window = try await ListWindow(list.widget, width: 90, height: 400)
            defer { window.close() }
            for position in 0..<3 { loader.answer(url(position), with: .success(try png(30, 20))) }
            func shown() -> [Image?] { (0..<3).map { list.row(at: $0)?.imageView.image } }
            #expect(try await pump { shown().allSatisfy { $0 != nil } })
            let before = shown()
            let offline = WebImageError(.transport, stage: .download)
            for position in 0..<3 { loader.answer(url(position), with: .failure(offline)) }
            list.reload(count: 3)
            #expect(zip(shown(), before).allSatisfy { $0 === $1 })
            #expect(try await pump { list.row(at: 1)?.imageView.imageLoadFailure != nil })
            #expect(zip(shown(), before).allSatisfy { $0 === $1 })
        }

        @Test func sameURLInAFittingViewJoinsItsLoad() async throws {
            let view = FittingImageView()
            var ends = 0
            for _ in 0..<3 {
                view.setImage(with: url(1), context: [.customManager: manager]) { _, _, _, _ in ends += 1 }
            }
            #expect(try await pump { loader.requests == [url(1)] })
            loader.send(try png(30, 50).prefix(33), for: url(1))
            #expect(try await pump { view.proportions == PixelSize(width: 30, height: 50) })
            view.setImage(with: url(1), context: [.customManager: manager])
            #expect(view.proportions == PixelSize(width: 30, height: 50))
            loader.answer(url(1), with: .success(try png(30, 50)))
            #expect(try await pump { ends == 3 })
            #expect(loader.requests == [url(1)] && loader.cancelCount == 0)
        }

        @Test func rowsOfAHorizontalListAreAsWideAsTheirImages() async throws {
            let list = FittingList(.horizontal, count: 3, request: request)
            let window = try await ListWindow(list.widget, width: 400, height: 90)
            defer { window.close() }
            #expect(try await pump { list.row(at: 0) != nil })
            let row = try #require(list.row(at: 0))
            loader.answer(url(0), with: .success(try png(50, 30)))
            #expect(try await pump { gtk_widget_get_width(UnsafeMutablePointer(row.widget)) == 150 })
            #expect(gtk_widget_get_height(UnsafeMutablePointer(row.widget)) == 90)
        }

        @Test func newWidthChangesTheRowHeights() async throws {
            let list = FittingList(count: 20, request: request)
            let window = try await ListWindow(list.widget, width: 100, height: 250)
            defer { window.close() }
            func height(_ position: Int) -> Double? {
                list.row(at: position).flatMap { window.vertical($0.widget) }.map { $0.end - $0.start }
            }
            // The first row that has its picture stays in place.
            loader.answer(url(0), with: .success(try png(10, 10)))
            #expect(try await pump { height(0) == 100 && list.row(at: 0)?.imageView.image != nil })
            for position in 1..<20 { loader.answer(url(position), with: .success(try png(10, 10))) }
            #expect(try await pump { height(1) == 100 })
            gtk_widget_set_size_request(UnsafeMutablePointer(window.scrolled), 160, 250)
            #expect(
                try await pump {
                    list.row(at: 1).flatMap { window.vertical($0.widget) }.map { [$0.start, $0.end] } == [160, 320]
                })
        }

        @Test func visibleRowsDoNotMoveWhile500RowsOfUnknownSizeLoadDuringDrags() async throws {
            let count = 900
            let list = FittingList(
                count: count, policy: ScrollPrefetchPolicy(screensAhead: 3), request: request,
                make: { FittingImageView() })
            let window = try await ListWindow(list.widget, width: 80, height: 400)
            defer { window.close() }
            #expect(try await pump { !list.visiblePositions.isEmpty && list.row(at: 0) != nil })
            let pictures = try Dictionary(
                uniqueKeysWithValues: Set((0..<count).map(height)).map { ($0, try png(80, $0)) })
            let probe = StillnessProbe(window: window, list: list)
            var random = SeededRandom.printingSeed()
            var arrived: Set<URL> = []
            var known: Set<Int> = []
            var frame = 0
            window.everyFrame {
                frame += 1
                // In each frame, up to four random loads receive data. Some of these loads receive only the header of
                // their image.
                let open = loader.requests.filter { !arrived.contains($0) }
                for url in Set(open).shuffled(using: &random).prefix(4) {
                    let position = Int(url.deletingPathExtension().lastPathComponent) ?? 0
                    guard let picture = pictures[height(position)] else { continue }
                    known.insert(position)
                    if Bool.random(using: &random) {
                        loader.send(picture.prefix(33), for: url)
                        if Int.random(in: 0..<3, using: &random) > 0 { continue }
                    }
                    loader.answer(url, with: .success(picture))
                    arrived.insert(url)
                }
                // The probe sets absolute scroll positions. GTK also sets absolute positions during drags and flings.
                switch frame % 100 {
                case 0..<60: probe.drag(by: 60)
                case 60..<80: probe.drag(by: -35)
                case 80..<90: probe.drag(by: 0)
                default: probe.drag(by: 7.5)
                }
                return known.count < 500 && frame < 3000
            }
            let end = ContinuousClock.now + .seconds(90)
            while window.isDriven, ContinuousClock.now < end { _ = try await pump { !window.isDriven } }
            #expect(known.count >= 500)
            #expect(probe.tracked > 300)
            #expect(probe.worst <= 1, "a row moved by \(probe.worst) px more than the drag, in \(probe.bad) frames")
            #expect(probe.lost == 0)
        }

        @Test func rowThatFitsInTheFrameInWhichTheAnchorLeavesStaysInPlace() async throws {
            let list = FittingList(count: 40, request: request)
            let window = try await ListWindow(list.widget, width: 80, height: 400)
            defer { window.close() }
            #expect(try await pump { list.row(at: 3) != nil })
            for position in [0, 3] { loader.answer(url(position), with: .success(try png(80, height(position)))) }
            #expect(try await pump { [0, 3].allSatisfy { list.row(at: $0)?.imageView.image != nil } })
            try await window.rest()
            // In one frame, row 0 leaves the viewport, which makes another row the anchor, and row 1 receives its image.
            let pictures = try [60, 110].map { try TestImages.solid(width: 80, height: $0) }
            window.everyFrame {
                list.row(at: 1)?.fittingView?.hasEnded(with: pictures[0])
                window.value += 10
                return false
            }
            #expect(try await pump { !window.isDriven })
            try await window.rest()
            let row = try #require(list.row(at: 1))
            let place = try #require(window.vertical(row.widget))
            #expect(place.end - place.start == 60)
            // Row 2, between rows 1 and 3, changes. Row 1 is the first settled row, so it stays in place.
            list.row(at: 2)?.fittingView?.hasEnded(with: pictures[1])
            try await window.rest()
            #expect(window.vertical(try #require(list.row(at: 2)).widget).map { $0.end - $0.start } == 110)
            #expect(window.vertical(row.widget)?.start == place.start)
        }

        /// A list that was not scrolled shows its first row from its top. Before, a lower row whose image arrived first stayed in
        /// place, and the first row grew upwards.
        @Test func listThatWasNotScrolledBeginsWithItsFirstRow() async throws {
            let list = FittingList(count: 40, request: request)
            let window = try await ListWindow(list.widget, width: 80, height: 400)
            defer { window.close() }
            #expect(try await pump { list.row(at: 2) != nil })
            for (position, height) in [(1, 50), (2, 90), (0, 300)] {
                loader.answer(url(position), with: .success(try png(80, height)))
                #expect(try await pump { list.row(at: position)?.imageView.image != nil })
                try await window.rest()
                #expect(window.vertical(try #require(list.row(at: 0)).widget)?.start == 0)
            }
            // Once it is scrolled, the rows in sight stay.
            window.value += 310
            try await window.rest()
            let row = try #require(list.row(at: 2))
            let place = window.vertical(row.widget)?.start
            list.row(at: 0)?.fittingView?.hasEnded(with: try TestImages.solid(width: 80, height: 30))
            try await window.rest()
            #expect(window.vertical(row.widget)?.start == place)
        }

        @Test func insertedAndRemovedRowsDoNotMoveVisibleRows() async throws {
            for position in 0..<200 { loader.answer(url(position), with: .success(try png(80, height(position)))) }
            let list = FittingList(count: 100, request: request)
            let window = try await ListWindow(list.widget, width: 80, height: 300)
            defer { window.close() }
            list.scroll(to: 50)
            #expect(try await pump { list.row(at: 51)?.fittingView?.isFitting == true })
            _ = try await pump { list.visiblePositions.allSatisfy { list.row(at: $0)?.imageView.image != nil } }
            list.scroll(to: 50)
            try await window.rest()
            let row = try #require(list.row(at: 51))
            let place = try #require(window.vertical(row.widget)).start
            list.insertRows(7, at: 3)
            list.removeRows(20..<40)
            try await window.rest()
            #expect(list.row(at: 51 + 7 - 20)?.widget == row.widget)
            #expect(try #require(window.vertical(row.widget)).start == place)
            #expect(list.count == 87)
        }

        @Test func destroyedListIsFreed() async throws {
            try await turnLoop()
            let live = GTKHandles.live
            for round in 0..<5 {
                var list: FittingList? = FittingList(count: 50, request: request)
                let window = try await ListWindow(try #require(list?.widget), width: 80, height: 300)
                if round.isMultiple(of: 2) { _ = try await pump { list?.row(at: 0) != nil } }
                if round.isMultiple(of: 3) { list = nil }
                window.close()
                list = nil
            }
            #expect(try await pump { GTKHandles.hasNoMore(than: live) }, "\(GTKHandles.live) after \(live)")
        }
    }
}

/// Drags a list. After each frame, compares the movement of a visible row with the distance of the drag, in pixels.
@MainActor final class StillnessProbe {
    private let window: ListWindow
    private let list: FittingList
    private var wanted: Double
    private var drawn: Double
    private var row: (position: Int, place: Double)?
    private(set) var worst = 0.0
    private(set) var bad = 0
    private(set) var tracked = 0
    /// The number of frames in which the row was missing, although it should have been visible after the drag.
    private(set) var lost = 0

    init(window: ListWindow, list: FittingList) {
        self.window = window
        self.list = list
        wanted = window.value
        drawn = wanted
        window.afterEveryFrame { [weak self] in self?.look() }
    }

    func drag(by pixels: Double) {
        wanted = max(wanted + pixels, gtk_adjustment_get_lower(window.adjustment))
        window.value = wanted
    }

    private func look() {
        let page = gtk_adjustment_get_page_size(window.adjustment)
        let drag = wanted - drawn
        drawn = wanted
        if let (position, place) = row {
            let expected = place - drag
            if let now = list.row(at: position).flatMap({ window.vertical($0.widget) }) {
                // Continue with the same row while it is completely visible.
                if expected >= 0, now.end <= page {
                    tracked += 1
                    let error = abs(now.start - expected)
                    worst = max(worst, error)
                    if error > 1 { bad += 1 }
                    row = (position, now.start)
                    return
                }
            } else if expected >= 0, expected < page / 2 {
                lost += 1
            }
        }
        // Choose the first row that is completely visible and has the proportions of its image.
        row =
            list.visiblePositions.lazy.compactMap { position -> (position: Int, place: Double)? in
                guard let row = self.list.row(at: position), row.fittingView?.isFitting == true,
                    let place = self.window.vertical(row.widget), place.start >= 0, place.end <= page
                else { return nil }
                return (position, place.start)
            }.first
    }
}
