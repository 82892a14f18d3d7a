import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    /// Rows with a photo and an avatar, and a list that stays at its end, as a chat has them.
    @Suite("Lists of a chat") @MainActor struct ListsTwoPicturesTests {
        let loader = FakeDataLoader()
        let folder: ScratchFolder
        let manager: WebImageManager

        init() throws {
            try Display.open()
            folder = try ScratchFolder()
            manager = WebImageManager(
                cache: ImageCache(namespace: "chat", diskCacheDirectory: folder.url.path), loader: loader)
        }

        private func url(_ kind: String, _ position: Int) -> URL {
            URL(string: "https://images.test/\(kind)/\(position).png") ?? URL(fileURLWithPath: "/")
        }

        private func request(_ position: Int) -> ImageListRequest {
            var request = ImageListRequest(url("photo", position), context: [.customManager: manager])
            request.further = [ImageListRequest(url("avatar", position), context: [.customManager: manager])]
            return request
        }

        private func positions(_ kind: String, at priority: LoadPriority? = nil) -> Set<Int> {
            Set(
                loader.loads.filter { $0.url.path.hasPrefix("/\(kind)/") && (priority ?? $0.priority) == $0.priority }
                    .compactMap { Int($0.url.deletingPathExtension().lastPathComponent) })
        }

        private func png(_ width: Int, _ height: Int) throws -> Data {
            try ImageCodersManager.shared.encode(
                try TestImages.solid(width: width, height: height), format: .png, options: EncodingOptions())
        }

        private func factory(_ further: Bool = true) -> ImageListFactory {
            ImageListFactory(
                request: { position in
                    var request = request(position)
                    if !further { request.further = [] }
                    return request
                },
                make: { ChatRow(fits: false) })
        }

        private func list(_ factory: ImageListFactory) throws -> OpaquePointer {
            try #require(OpaquePointer(gtk_list_view_new(EmptyRows.model(1000), factory.retainedFactory())))
        }

        @Test func bothPicturesAreLoadedByVisibility() async throws {
            let factory = factory()
            let window = try await ListWindow(try list(factory), width: 200, height: 300)
            defer { window.close() }
            func isAsked() -> Bool {
                let seen = positions("photo", at: .high).count
                return (3...21).contains(seen)
                    && ["photo", "avatar"].allSatisfy {
                        positions($0, at: .high) == Set(0..<seen) && positions($0, at: .low) == Set(seen..<seen * 3)
                    }
            }
            #expect(try await pump { isAsked() })
            try await window.rest()
            #expect(isAsked() && loader.requests.count == Set(loader.requests).count)
            // The loads of rows that are scrolled away end, and those of the new rows begin, for both.
            let before = loader.requests.count
            window.value = gtk_adjustment_get_upper(window.adjustment) / 2
            #expect(try await pump { loader.cancelCount >= before && loader.requests.count >= 2 * before })
            try await window.rest()
            for kind in ["photo", "avatar"] {
                #expect(Set(loader.cancelledURLs).isSuperset(of: (0..<before / 2).map { url(kind, $0) }))
            }
            #expect(try await pump { positions("photo") == positions("avatar") })
        }

        @Test func reusedRowShowsBothPicturesOfItsPosition() async throws {
            for position in 0..<1000 {
                loader.answer(url("photo", position), with: .success(try png(40, 20 + position % 7)))
                loader.answer(url("avatar", position), with: .success(try png(20, 10 + position % 5)))
            }
            let factory = factory()
            let window = try await ListWindow(try list(factory), width: 200, height: 300)
            defer { window.close() }
            for value in [0.0, 4000, 20_000, 0] {
                window.value = value
                func visible() -> [ChatRow] {
                    ChatRow.all.filter { row in
                        window.vertical(row.widget).map { $0.end > 0 && $0.start < 300 } == true
                    }
                }
                // Before the next frame, the rows of the former place are still there with their pictures.
                try await window.rest()
                _ = try await pump {
                    !visible().isEmpty && visible().allSatisfy { $0.imageView.image != nil && $0.avatar.image != nil }
                }
                for row in visible() {
                    let position = Int(row.imageView.imageURL?.deletingPathExtension().lastPathComponent ?? "") ?? -1
                    #expect(row.avatar.imageURL == url("avatar", position))
                    let sizes = [row.imageView, row.avatar].map { $0.image.map(\.pixelSize) }
                    #expect(sizes.allSatisfy { $0 != nil })
                    // The avatar is decoded at the size of its own view.
                    #expect((sizes[1]?.height ?? 0) <= 20)
                }
            }
        }

        @Test func rowWithoutARequestForItsAvatarShowsNone() async throws {
            loader.answer(url("photo", 0), with: .success(try png(4, 4)))
            let factory = factory(false)
            let window = try await ListWindow(try list(factory), width: 200, height: 300)
            defer { window.close() }
            #expect(try await pump { ChatRow.all.contains { $0.imageView.image != nil } })
            try await window.rest()
            #expect(positions("avatar").isEmpty && ChatRow.all.allSatisfy { $0.avatar.image == nil })
        }

        @Test func listStaysAtItsEnd() async throws {
            func height(_ position: Int) -> Int { 30 + position * 37 % 90 }
            let list = FittingList(count: 40, spacing: 6, request: request, make: { ChatRow(fits: true) })
            list.staysAtEnd = true
            let window = try await ListWindow(list.widget, width: 80, height: 300)
            defer { window.close() }
            func isAtEnd() -> Bool {
                let upper = gtk_adjustment_get_upper(window.adjustment)
                let end = window.value + gtk_adjustment_get_page_size(window.adjustment)
                guard abs(end - upper) < 1, let row = list.row(at: list.count - 1),
                    let place = window.vertical(row.widget)
                else { return false }
                return abs(place.end - gtk_adjustment_get_page_size(window.adjustment)) <= 1
            }
            #expect(try await pump { isAtEnd() })
            // Pictures arrive, and rows are added: the end stays visible in every frame.
            var (frames, away) = (0, 0)
            window.afterEveryFrame {
                frames += 1
                if !isAtEnd() { away += 1 }
            }
            for position in (0..<40).reversed() {
                loader.answer(url("photo", position), with: .success(try png(80, height(position))))
            }
            try await window.frames(3)
            for position in 40..<60 {
                loader.answer(url("photo", position), with: .success(try png(80, height(position))))
                list.insertRows(1, at: list.count)
                #expect(try await pump { isAtEnd() && list.row(at: position)?.imageView.image != nil })
            }
            window.stopLooking()
            try await window.rest()
            #expect(isAtEnd())
            #expect(positions("avatar").contains(59))
            // The user scrolls back: the visible rows stay where they are.
            window.value -= 500
            try await window.rest()
            let shown = try #require(list.visiblePositions.dropFirst().first)
            func start() -> Double? { list.row(at: shown).flatMap { window.vertical($0.widget) }?.start }
            let place = try #require(start())
            list.insertRows(3, at: list.count)
            try await window.rest()
            #expect(start() == place)
            // And returns to the end.
            window.value = gtk_adjustment_get_upper(window.adjustment)
            try await window.rest()
            list.insertRows(2, at: list.count)
            #expect(try await pump { isAtEnd() })
            list.removeRows(50..<55)
            try await window.rest()
            #expect(isAtEnd())
            list.reload(count: 20)
            try await window.rest()
            #expect(isAtEnd())
        }

        @Test func shortListBeginsAtTheTop() async throws {
            let list = FittingList(count: 0, defaultExtent: 40, request: request, make: { ChatRow(fits: true) })
            list.staysAtEnd = true
            let window = try await ListWindow(list.widget, width: 80, height: 300)
            defer { window.close() }
            for count in 1...3 {
                list.insertRows(1, at: list.count)
                try await window.rest()
                #expect(list.row(at: 0).flatMap { window.vertical($0.widget) }?.start == 0, "\(count)")
            }
            list.insertRows(20, at: list.count)
            #expect(
                try await pump { list.row(at: 22).flatMap { window.vertical($0.widget) }?.end == 300 })
        }
    }
}

/// A row with a photo and an avatar beside it.
@MainActor private final class ChatRow: ImageListRow {
    let widget: OpaquePointer
    let imageView: ImageView
    let fittingView: FittingImageView?
    let avatar = ImageView()
    var furtherImageViews: [ImageView] { [avatar] }
    private static var made: [Weak] = []

    private struct Weak { weak var row: ChatRow? }

    static var all: [ChatRow] { made.compactMap(\.row) }

    init(fits: Bool) {
        fittingView = fits ? FittingImageView(.heightForWidth) : nil
        imageView = fittingView?.imageView ?? ImageView()
        widget = OpaquePointer(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
        avatar.fixedSize = CGSize(width: 20, height: 20)
        if !fits { imageView.fixedSize = CGSize(width: 40, height: 40) }
        gtk_box_append(gtkCast(widget), gtkCast(avatar.widget))
        gtk_box_append(gtkCast(widget), gtkCast(fittingView?.widget ?? imageView.widget))
        Self.made = Self.made.filter { $0.row != nil } + [Weak(row: self)]
    }
}
