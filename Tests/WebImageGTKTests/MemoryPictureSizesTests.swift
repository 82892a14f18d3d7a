import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageGTK

/// Pictures that a view finds in memory at full size: another view or the program has loaded them before.
extension GTKSuite.ViewSizesTests {
    enum FirstLoad: CaseIterable {
        case program, fullSizeView
    }

    /// Loads a picture with all its pixels into memory.
    private func load(_ url: URL, by first: FirstLoad, context: WebImageContext) async throws {
        guard first != .program else {
            _ = try await journey.manager.image(for: url, context: context)
            return
        }
        let view = AnimatedImageView()
        let window = try await TestWindow(view.widget, width: 400, height: 400)
        defer { window.close() }
        let size: WebImageContext = .thumbnail(.fullSize)
        let answer = ViewAnswer()
        view.setImage(with: url, context: journey.context.merging(size) { $1 }, completed: answer.hear)
        #expect(try await answer.isSuccess(url))
    }

    /// Each frame of the animation would be scaled when it is drawn.
    @Test(arguments: FirstLoad.allCases, [false, true])
    func animationInMemoryIsDecodedAgainForASmallView(_ first: FirstLoad, _ isAdopted: Bool) async throws {
        let names = ["first", "second", "first"]
        for name in names { journey.server.route("/\(name).gif", .body(try animation(seconds: 0.03, loops: 0))) }
        let picture = try #require(OpaquePointer(gtk_picture_new()))
        let view = isAdopted ? try #require(ImageView.adopting(picture)) : AnimatedImageView()
        let window = try await TestWindow(view.widget, width: 90, height: 90)
        defer { window.close() }
        try await resize(view, to: 90, 90)
        for name in names {
            let url = journey.server.url("/\(name).gif")
            try await load(url, by: first, context: [:])
            let answer = ViewAnswer()
            view.setImage(with: url, context: journey.context, completed: answer.hear)
            // A hit in memory is shown at once, also if it has more pixels than the view needs.
            #expect(answer.count == 1 && answer.cacheType == .memory)
            #expect(try await pump { view.image?.pixelSize == PixelSize(width: 90, height: 90) }, "\(name)")
            let shown = try #require(view.image)
            #expect(view.isAnimating && view.state.naturalSize(of: shown).width == 400)
            // Other loads still find the whole picture.
            let whole = try await journey.manager.result(for: url)
            #expect(whole.cacheType == .memory && whole.image.pixelSize == PixelSize(width: 400, height: 400))
        }
        #expect(journey.server.requests.count == 2)
    }

    /// A drawing of vectors has as many pixels as its view, although it is in memory with the size that its file names.
    @Test(arguments: [false, true]) func vectorsInMemoryAreDecodedAgainForALargeView(_ isAdopted: Bool) async throws {
        let coder: WebImageContext = [.imageCoder: VectorCoder()]
        let picture = try #require(OpaquePointer(gtk_picture_new()))
        let view = isAdopted ? try #require(ImageView.adopting(picture)) : ImageView()
        let window = try await TestWindow(view.widget, width: 200, height: 200)
        defer { window.close() }
        try await resize(view, to: 200, 200)
        for name in ["first", "second", "first"] {
            journey.server.route("/\(name).svg", .body(Data("24 \(name)".utf8)))
            let url = journey.server.url("/\(name).svg")
            try await load(url, by: .program, context: coder)
            let answer = ViewAnswer()
            view.setImage(with: url, context: journey.context.merging(coder) { $1 }, completed: answer.hear)
            #expect(answer.count == 1 && answer.cacheType == .memory)
            #expect(try await pump { view.image?.pixelSize == PixelSize(width: 200, height: 200) }, "\(name)")
            let shown = try #require(view.image)
            #expect(view.state.naturalSize(of: shown) == CGSize(width: 24, height: 24))
        }
    }
}

/// Pictures that were loaded before their view had a layout, because the view was in a page that was not shown, or in no
/// window.
extension GTKSuite.ViewSizesTests {
    enum Place: CaseIterable {
        case hiddenPage, noWindow

        /// Returns a widget with the view, and a closure that shows the view.
        @MainActor fileprivate func put(_ view: ImageView) throws -> (widget: OpaquePointer, show: () -> Void) {
            let stack = OpaquePointer(try #require(gtk_stack_new()))
            gtk_stack_add_named(stack, gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), "first")
            switch self {
            case .hiddenPage:
                gtk_stack_add_named(stack, view.gtkWidget(), "second")
                return (stack, { gtk_stack_set_visible_child_name(stack, "second") })
            case .noWindow:
                return (
                    stack,
                    {
                        gtk_stack_add_named(stack, view.gtkWidget(), "second")
                        gtk_stack_set_visible_child_name(stack, "second")
                    }
                )
            }
        }
    }

    @Test(arguments: Place.allCases, [false, true])
    func vectorsOfAHiddenViewAreDecodedAgainWhenItIsShown(_ place: Place, _ isExplicit: Bool) async throws {
        let size: WebImageContext = isExplicit ? .thumbnail(.viewSizeWithin(.milliseconds(20))) : [:]
        for name in ["first", "second"] {
            let view = ImageView()
            let (widget, show) = try place.put(view)
            let window = try await TestWindow(widget, width: 200, height: 200)
            defer { window.close() }
            journey.server.route("/\(name).svg", .body(Data("24 \(name)".utf8)))
            let url = journey.server.url("/\(name).svg")
            let context = journey.context.merging([.imageCoder: VectorCoder()]) { $1 }.merging(size) { $1 }
            let answer = ViewAnswer()
            view.setImage(with: url, context: context, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            #expect(view.image?.pixelSize == PixelSize(width: 24, height: 24))
            show()
            #expect(try await pump { view.image?.pixelSize == PixelSize(width: 200, height: 200) }, "\(name)")
        }
    }

    @Test(arguments: Place.allCases)
    func animationOfAHiddenViewIsDecodedAgainWhenItIsShown(_ place: Place) async throws {
        journey.server.route("/first.gif", .body(try animation(seconds: 0.03, loops: 0)))
        let view = ImageView()
        let (widget, show) = try place.put(view)
        let window = try await TestWindow(widget, width: 90, height: 90)
        defer { window.close() }
        let url = journey.server.url("/first.gif")
        let answer = ViewAnswer()
        view.setImage(with: url, context: journey.context, completed: answer.hear)
        #expect(try await answer.isSuccess(url))
        #expect(view.image?.pixelSize == PixelSize(width: 400, height: 400))
        show()
        #expect(try await pump { view.image?.pixelSize == PixelSize(width: 90, height: 90) && view.isAnimating })
        let shown = try #require(view.image)
        #expect(view.state.naturalSize(of: shown).width == 400)
        #expect(journey.server.requests.count == 1)
    }
}

/// Draws a plain picture of 24 x 24 px, or of any other size.
private struct VectorCoder: ImageCoder {
    func canDecode(from data: Data) -> Bool { true }
    func canEncode(to format: ImageFormat) -> Bool { false }

    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        ImageInfo(format: .svg, storedSize: PixelSize(width: 24, height: 24))
    }

    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        let side = Int(options.thumbnailPixelSize?.width ?? 24)
        let image = try TestImages.solid(width: side, height: side)
        image.imageFormat = .svg
        image.sourcePixelSize = PixelSize(width: 24, height: 24)
        return image
    }

    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
        throw WebImageError(.encodingFailed, stage: .encode)
    }
}
