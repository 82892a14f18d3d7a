import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    /// Pictures and animations in views whose size changes. The drawn pixels are compared with a drawing of the whole picture.
    @Suite("Sizes of views") @MainActor struct ViewSizesTests {
        let journey: ViewJourney

        init() throws {
            try Display.open()
            journey = try ViewJourney()
        }

        /// Gives the view, which fills its window, another size.
        func resize(_ view: ImageView, to width: Int, _ height: Int) async throws {
            let widget: UnsafeMutablePointer<GtkWidget> = view.gtkWidget()
            gtk_widget_set_size_request(widget, -1, -1)
            gtk_widget_set_halign(widget, GTK_ALIGN_FILL)
            gtk_widget_set_valign(widget, GTK_ALIGN_FILL)
            gtk_window_set_default_size(gtkCast(gtk_widget_get_root(widget)), gint(width), gint(height))
            #expect(
                try await pump {
                    view.isHidden
                        || gtk_widget_get_width(widget) == gint(width) && gtk_widget_get_height(widget) == gint(height)
                })
        }

        // MARK: Animations that do not play

        enum Standstill: CaseIterable {
            case stopped, stoppedAtTheStart, ended, neverStarted, longFrames, hidden
        }

        /// Frames of 400 x 400 px with a pattern of 4 px, so that a blurred frame is grey.
        private static let frames = (0..<3).compactMap { number in
            try? Image.generated(width: 400, height: 400) { x, y in
                let isLight = (x / 4 + y / 4 + number).isMultiple(of: 2)
                return isLight ? (255, 255, 255, 255) : (0, UInt8(number * 60), 0, 255)
            }
        }
        /// The files of the animations that tests have asked for. Their pixels would be made in each case of a test.
        private static var animations: [String: Data] = [:]

        func animation(seconds: Double, loops: Int) throws -> Data {
            let name = "\(seconds) \(loops)"
            if let known = Self.animations[name] { return known }
            let file = try ImageCodersManager.shared.encode(
                frameCount: Self.frames.count, loopCount: loops, format: .gif, options: EncodingOptions()
            ) { number throws(WebImageError) in
                ImageFrame(image: Self.frames[number], duration: seconds)
            }
            Self.animations[name] = file
            return file
        }

        @Test(arguments: Standstill.allCases, [false, true])
        func animationThatStandsStillIsSharpInALargerView(_ kind: Standstill, _ isExplicit: Bool) async throws {
            let seconds = kind == .longFrames ? 600 : 0.05
            for name in ["first", "second"] {
                journey.server.route(
                    "/\(name).gif", .body(try animation(seconds: seconds, loops: kind == .ended ? 1 : 0)))
            }
            let view = AnimatedImageView()
            view.autoPlayAnimatedImage = kind != .neverStarted && kind != .stoppedAtTheStart
            let window = try await TestWindow(view.widget, width: 64, height: 64)
            defer { window.close() }
            let size: WebImageContext = isExplicit ? .thumbnail(.viewSize) : [:]
            for name in ["first", "second", "first"] {
                let url = journey.server.url("/\(name).gif")
                let answer = ViewAnswer()
                if kind == .hidden { view.autoPlayAnimatedImage = true }
                try await resize(view, to: 64, 64)
                view.setImage(with: url, context: journey.context.merging(size) { $1 }, completed: answer.hear)
                #expect(try await answer.isSuccess(url))
                switch kind {
                case .stopped, .hidden:
                    #expect(try await pump { view.currentFrameIndex == 2 })
                    view.stopAnimating()
                    if kind == .hidden { view.autoPlayAnimatedImage = false }
                case .ended: #expect(try await pump { view.currentLoopCount == 1 && !view.isAnimating })
                case .longFrames: #expect(try await pump { view.currentFrame != nil })
                case .stoppedAtTheStart, .neverStarted: break
                }
                if kind == .hidden { view.isHidden = true }
                try await resize(view, to: 400, 400)
                if kind == .hidden { view.isHidden = false }
                let shown = Self.frames[view.currentFrameIndex]
                let points = [(0, 0), (201, 3), (398, 399), (6, 210)]
                let drawn = try await TestWindow.drawing(of: view.widget) { drawn in
                    drawn.pixelSize == shown.pixelSize
                        && points.allSatisfy { drawn.bgra($0.0, $0.1) == shown.bgra($0.0, $0.1) }
                }
                #expect(drawn?.pixelSize == shown.pixelSize, "\(name)")
                for (x, y) in points { #expect(drawn?.bgra(x, y) == shown.bgra(x, y), "\(name), \(x), \(y)") }
                #expect(view.isAnimating == (kind == .longFrames))
                #expect(isExplicit || view.naturalSize == CGSize(width: 400, height: 400))
            }
        }

        /// Two URLs with equal bytes, after a miss and after a hit, in turn, and also with no picture in between.
        @Test(arguments: [[], .delayPlaceholder] as [WebImageOptions])
        func animationThatPlaysOncePlaysUnderEachURL(_ options: WebImageOptions) async throws {
            let sticker = try animation(seconds: 0.02, loops: 1)
            for name in ["first", "second"] { journey.server.route("/\(name).gif", .body(sticker)) }
            let view = ImageView()
            let window = try await TestWindow(view.widget, width: 64, height: 64)
            defer { window.close() }
            for name in ["first", "second", "first", nil, "first", "second", "second"] as [String?] {
                let isRepeated = view.currentImageURL?.lastPathComponent == "\(name ?? "").gif"
                let url = name.map { journey.server.url("/\($0).gif") }
                let answer = ViewAnswer()
                // The animation is so short that it may end before the next line.
                var wasAnimating = false
                view.setImage(with: url, options: options, context: journey.context) { image, error, type, url in
                    wasAnimating = view.isAnimating
                    answer.hear(image, error, type, url)
                }
                guard let url else { continue }
                #expect(try await answer.isSuccess(url))
                #expect(wasAnimating == !isRepeated, "\(url.lastPathComponent)")
                #expect(try await pump { view.state.animation?.currentLoopCount == 1 && !view.isAnimating })
            }
        }

        @Test func nothingPlaysByItselfWithoutAnimationsOfTheDesktop() async throws {
            let settings = gtk_settings_get_default()
            func enable(_ isOn: Bool) {
                var value = GValue()
                g_value_init(&value, GType(5 << 2))
                g_value_set_boolean(&value, isOn ? 1 : 0)
                g_object_set_property(gtkCast(settings), "gtk-enable-animations", &value)
                g_value_unset(&value)
            }
            defer { enable(true) }
            enable(false)
            for name in ["first", "second"] {
                journey.server.route("/\(name).gif", .body(try animation(seconds: 0.02, loops: 0)))
            }
            let view = ImageView()
            let window = try await TestWindow(view.widget, width: 64, height: 64)
            defer { window.close() }
            for name in ["first", "second", "first"] {
                let url = journey.server.url("/\(name).gif")
                let answer = ViewAnswer()
                view.setImage(with: url, context: journey.context, completed: answer.hear)
                #expect(try await answer.isSuccess(url))
                view.isHidden = true
                view.isHidden = false
                #expect(!view.isAnimating && view.image?.isAnimated == true)
            }
            // The program may start it, and the setting may change.
            view.startAnimating()
            #expect(view.isAnimating)
            view.stopAnimating()
            enable(true)
            #expect(view.isAnimating)
            enable(false)
            #expect(!view.isAnimating)
            view.startAnimating()
            enable(false)
            #expect(view.isAnimating)
        }

        // MARK: Modes and shapes

        enum Fit: CaseIterable {
            case fit, fill, cover, scaleDown, pictureCover, pictureFill

            var mode: ImageContentMode {
                switch self {
                case .fit: .fit
                case .fill, .pictureFill: .fill
                case .cover, .pictureCover: .cover
                case .scaleDown: .scaleDown
                }
            }
        }

        private static let shapes = [
            PixelSize(width: 1200, height: 300), PixelSize(width: 300, height: 1200),
            PixelSize(width: 2400, height: 120),
            PixelSize(width: 90, height: 1800), PixelSize(width: 640, height: 480), PixelSize(width: 60, height: 40),
        ]

        /// Pictures of every shape with waves of 16 px, and colours that show their orientation. Made once for all cases.
        private static let waves = Result {
            try shapes.map { size in
                let picture = try Image.generated(width: size.width, height: size.height) { x, y in
                    let wave = UInt8(clamping: Int(127 + 100 * sin(Double(x) * .pi / 8) * cos(Double(y) * .pi / 8)))
                    return (wave, UInt8(255 * x / size.width), UInt8(255 * y / size.height), 255)
                }
                let options = EncodingOptions()
                return (picture, try ImageCodersManager.shared.encode(picture, format: .png, options: options))
            }
        }

        private func makeView(_ fit: Fit) throws -> ImageView {
            guard fit == .pictureCover || fit == .pictureFill else {
                let view = ImageView()
                view.contentMode = fit.mode
                return view
            }
            let picture = try #require(OpaquePointer(gtk_picture_new()))
            gtk_picture_set_content_fit(picture, fit == .pictureCover ? GTK_CONTENT_FIT_COVER : GTK_CONTENT_FIT_FILL)
            return try #require(ImageView.adopting(picture))
        }

        @Test(arguments: Fit.allCases, [false, true])
        func picturesOfEveryShapeAreSharp(_ fit: Fit, _ isExplicit: Bool) async throws {
            let view = try makeView(fit)
            let side = 128
            let window = try await TestWindow(view.widget, width: side, height: side)
            defer { window.close() }
            let waves = try Self.waves.get()
            let pictures = waves.map(\.0)
            for (number, wave) in waves.enumerated() { journey.server.route("/\(number).png", .body(wave.1)) }
            let size: WebImageContext = isExplicit ? .thumbnail(.viewSize) : [:]
            // Each picture after a miss, then after a hit, then from disk.
            for round in 0..<3 {
                if round == 2 { journey.cache.clearMemory() }
                for (number, whole) in pictures.enumerated() {
                    let url = journey.server.url("/\(number).png")
                    let answer = ViewAnswer()
                    view.setImage(with: url, context: journey.context.merging(size) { $1 }, completed: answer.hear)
                    #expect(try await answer.isSuccess(url))
                    let limit = 4.0
                    let wanted = try reference(whole, fit, side: side)
                    var difference = Double.infinity
                    _ = try await TestWindow.drawing(of: view.widget) {
                        difference = $0.meanDifference(from: wanted)
                        return difference < limit
                    }
                    let decoded = try #require(view.image?.pixelSize)
                    #expect(difference < limit, "\(whole.pixelSize) as \(decoded), round \(round)")
                    // Not many more pixels than needed, also in memory: the usual box has twice the side of the view.
                    #expect(decoded.pixelCount <= max(256 * 256, 140 * max(whole.pixels.width, whole.pixels.height)))
                    #expect(view.image?.pixelSize.width ?? 0 <= whole.pixels.width)
                }
            }
            #expect(journey.server.requests.count == pictures.count)
        }

        /// Returns the drawing of a picture with all its pixels.
        private func reference(_ picture: Image, _ fit: Fit, side: Int) throws -> Image {
            let drawing = PictureDrawing()
            drawing.mode = fit.mode
            let texture = try #require(picture.makeTexture())
            drawing.picture = PictureDrawing.Layer(texture: texture, size: picture.size)
            guard fit == .pictureCover else {
                return try WidgetSnapshot.drawn(drawing.pointer, width: side, height: side)
            }
            // GtkPicture moves a picture that is larger than itself to whole pixels, here by a third of a pixel.
            drawing.mode = .fill
            let scale = max(CGFloat(side) / picture.size.width, CGFloat(side) / picture.size.height)
            let (width, height) = (scale * picture.size.width, scale * picture.size.height)
            return try WidgetSnapshot.drawn(width: side, height: side) { snapshot in
                var origin = graphene_point_t(
                    x: Float(Int((CGFloat(side) - width.rounded(.up)) / 2)),
                    y: Float(((CGFloat(side) - height.rounded(.up)) / 2).rounded(.down)))
                gtk_snapshot_translate(snapshot, &origin)
                gdk_paintable_snapshot(drawing.pointer, snapshot, Double(width), Double(height))
            }
        }

        // MARK: Large pictures in small views

        /// The textures that a paintable draws, with their rectangles, and whether GTK draws them with mipmaps (since 4.10).
        private func textures(_ paintable: OpaquePointer, _ size: CGSize) throws -> [(
            texture: Image, rect: graphene_rect_t, hasMipmaps: Bool
        )] {
            let snapshot = gtk_snapshot_new()
            gdk_paintable_snapshot(paintable, snapshot, Double(size.width), Double(size.height))
            let node = try #require(gtk_snapshot_free_to_node(snapshot))
            defer { gsk_render_node_unref(node) }
            var found: [(Image, graphene_rect_t, Bool)] = []
            func visit(_ node: OpaquePointer) {
                switch gsk_render_node_get_node_type(node) {
                case GSK_TEXTURE_NODE:
                    var bounds = graphene_rect_t()
                    gsk_render_node_get_bounds(node, &bounds)
                    guard let texture = gsk_texture_node_get_texture(node) else { return }
                    g_object_ref(UnsafeMutableRawPointer(texture))
                    if let image = Texture(owning: texture).downloaded() { found.append((image, bounds, false)) }
                case GSK_CLIP_NODE: visit(gsk_clip_node_get_child(node))
                case GSK_TRANSFORM_NODE: visit(gsk_transform_node_get_child(node))
                case GSK_CONTAINER_NODE:
                    for index in 0..<gsk_container_node_get_n_children(node) {
                        visit(gsk_container_node_get_child(node, index))
                    }
                default:
                    guard let scaled = ScaledTextureNode(node), let image = scaled.texture.downloaded() else { return }
                    var bounds = graphene_rect_t()
                    gsk_render_node_get_bounds(node, &bounds)
                    found.append((image, bounds, scaled.isTrilinear))
                }
            }
            visit(node)
            return found
        }

        /// Draws a texture as GTK's OpenGL renderer does without mipmaps: each pixel is mixed from four pixels of the texture.
        private func withoutMipmaps(_ texture: Image, _ size: PixelSize) throws -> Image {
            let samples = Samples(texture)
            let (width, height) = (texture.pixels.width, texture.pixels.height)
            return try Image.generated(width: size.width, height: size.height) { x, y in
                let (u, v) = (
                    (Double(x) + 0.5) * Double(width) / Double(size.width) - 0.5,
                    (Double(y) + 0.5) * Double(height) / Double(size.height) - 0.5
                )
                let (left, top) = (Int(u.rounded(.down)), Int(v.rounded(.down)))
                func value(_ channel: Int) -> UInt8 {
                    var sum = 0.0
                    for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                        let weight =
                            (dx == 0 ? 1 - u + Double(left) : u - Double(left))
                            * (dy == 0 ? 1 - v + Double(top) : v - Double(top))
                        let (x, y) = (min(max(left + dx, 0), width - 1), min(max(top + dy, 0), height - 1))
                        sum += weight * Double(samples[x, y, channel])
                    }
                    return UInt8(clamping: Int(sum.rounded()))
                }
                return (value(0), value(1), value(2), 255)
            }
        }

        /// Returns the mean of the pixels of a picture under each pixel of a smaller size.
        private func means(_ picture: Image, _ size: PixelSize) throws -> Image {
            let samples = Samples(picture)
            let (sx, sy) = (picture.pixels.width / size.width, picture.pixels.height / size.height)
            return try Image.generated(width: size.width, height: size.height) { x, y in
                var sums = [0, 0, 0]
                for row in 0..<sy {
                    for column in 0..<sx {
                        for channel in 0..<3 { sums[channel] += samples[x * sx + column, y * sy + row, channel] }
                    }
                }
                let count = sx * sy
                return (UInt8(sums[0] / count), UInt8(sums[1] / count), UInt8(sums[2] / count), 255)
            }
        }

        /// Stripes of 1 and of 2 px, which must become grey, beside colours that must stay.
        @Test(
            arguments: [
                PixelSize(width: 160, height: 120), PixelSize(width: 80, height: 60),
                PixelSize(width: 20, height: 15),
                PixelSize(width: 120, height: 120), PixelSize(width: 480, height: 45),
            ], [1, 2])
        func largePictureIsNotAliasedInASmallDrawing(_ size: PixelSize, _ scale: Int) async throws {
            let drawing = PictureDrawing()
            drawing.mode = .fill
            drawing.scaleFactor = { CGFloat(scale) }
            let points = CGSize(width: size.width / scale, height: size.height / scale)
            for stripe in [1, 2, 1] {
                // More pixels than are reduced at once, so that the copy is made in the background.
                let picture = try Image.generated(width: 480, height: 360) { x, y in
                    let isLight = (x / stripe).isMultiple(of: 2) != (y / stripe).isMultiple(of: 2)
                    return (isLight ? 255 : 0, UInt8(255 * x / 480), UInt8(255 * y / 360), 255)
                }
                let wanted = try means(picture, size)
                drawing.picture = PictureDrawing.Layer(
                    texture: try #require(picture.makeTexture()), size: picture.size)
                var difference = Double.infinity
                #expect(
                    try await pump {
                        guard let drawn = try? textures(drawing.pointer, points), let first = drawn.first else {
                            return false
                        }
                        // OpenGLDrawingTests draw with mipmaps.
                        if first.hasMipmaps { return first.texture.pixelSize == picture.pixelSize }
                        guard let result = try? withoutMipmaps(first.texture, size) else { return false }
                        difference = result.meanDifference(from: wanted)
                        return difference < 6
                    }, "difference \(difference)")
            }
        }

        /// A view with a fixed request of all pixels, and a view whose window shrinks.
        @Test(arguments: [false, true]) func shrunkViewDrawsASmallTexture(_ isFullSize: Bool) async throws {
            let view = ImageView()
            let window = try await TestWindow(view.widget, width: 900, height: 600)
            defer { window.close() }
            let size: WebImageContext = isFullSize ? .thumbnail(.fullSize) : [:]
            for number in 0..<2 {
                let picture = try Image.generated(width: 900, height: 600) { x, y in
                    x.isMultiple(of: 2) ? (255, 255, 255, 255) : (0, 0, UInt8(number), 255)
                }
                let file = try ImageCodersManager.shared.encode(picture, format: .png, options: EncodingOptions())
                let url = journey.server.url("/\(number).png")
                journey.server.route("/\(number).png", .body(file))
                try await resize(view, to: 900, 600)
                let answer = ViewAnswer()
                view.setImage(with: url, context: journey.context.merging(size) { $1 }, completed: answer.hear)
                #expect(try await answer.isSuccess(url))
                try await resize(view, to: 300, 200)
                let paintable = try #require(view.paintable)
                #expect(
                    try await pump {
                        let drawn = try? textures(paintable, CGSize(width: 300, height: 200))
                        guard let first = drawn?.first else { return false }
                        if first.hasMipmaps { return true }
                        let texture = first.texture
                        guard texture.pixels.width < 600 else { return false }
                        let pixel = texture.bgra(texture.pixels.width / 2, 9)
                        // The mean of three columns is a third or two thirds of white.
                        return (80...175).contains(pixel[0]) && (80...175).contains(pixel[1])
                    })
            }
        }

        @Test func animationIsDecodedAgainForAMuchSmallerView() async throws {
            for name in ["first", "second"] {
                journey.server.route("/\(name).gif", .body(try animation(seconds: 0.03, loops: 0)))
            }
            let view = AnimatedImageView()
            let window = try await TestWindow(view.widget, width: 400, height: 400)
            defer { window.close() }
            for name in ["first", "second", "first"] {
                try await resize(view, to: 400, 400)
                let url = journey.server.url("/\(name).gif")
                let answer = ViewAnswer()
                view.setImage(with: url, context: journey.context, completed: answer.hear)
                #expect(try await answer.isSuccess(url))
                #expect(try await pump { view.currentFrame?.pixelSize == PixelSize(width: 400, height: 400) })
                try await resize(view, to: 90, 90)
                #expect(try await pump { view.currentFrame?.pixelSize == PixelSize(width: 90, height: 90) })
                #expect(view.isAnimating)
            }
            #expect(journey.server.requests.count == 2)
        }
    }
}

extension Image {
    /// Returns the mean difference of all channels of two images of the same size in the display format.
    fileprivate func meanDifference(from other: Image) -> Double {
        guard pixelSize == other.pixelSize else { return .infinity }
        let (one, two) = (Samples(self), Samples(other))
        var sum = 0
        for y in 0..<pixels.height {
            for x in 0..<pixels.width {
                for channel in 0..<4 { sum += abs(one[x, y, channel] - two[x, y, channel]) }
            }
        }
        return Double(sum) / Double(4 * pixels.width * pixels.height)
    }
}

/// The values of an image in the display format.
private struct Samples {
    private let bytes: [UInt8]
    private let bytesPerRow: Int

    init(_ image: Image) {
        bytes = image.pixels.withUnsafeBytes { Array($0) }
        bytesPerRow = image.pixels.bytesPerRow
    }

    subscript(x: Int, y: Int, channel: Int) -> Int { Int(bytes[y * bytesPerRow + 4 * x + channel]) }
}

/// A node of `gtk_snapshot_append_scaled_texture`, which GTK has since 4.10. The headers of earlier versions do not have it.
@MainActor private struct ScaledTextureNode {
    let texture: Texture
    let isTrilinear: Bool

    private typealias GetTexture = @convention(c) (OpaquePointer) -> OpaquePointer?
    private typealias GetFilter = @convention(c) (OpaquePointer) -> UInt32

    init?(_ node: OpaquePointer) {
        let type = UnsafePointer<GTypeInstance>(node).pointee.g_class.pointee.g_type
        guard let name = g_type_name(type), String(cString: name) == "GskTextureScaleNode",
            let getTexture = dlsym(nil, "gsk_texture_scale_node_get_texture"),
            let getFilter = dlsym(nil, "gsk_texture_scale_node_get_filter"),
            let texture = unsafeBitCast(getTexture, to: GetTexture.self)(node)
        else { return nil }
        g_object_ref(UnsafeMutableRawPointer(texture))
        self.texture = Texture(owning: texture)
        isTrilinear = unsafeBitCast(getFilter, to: GetFilter.self)(node) == 2
    }
}
