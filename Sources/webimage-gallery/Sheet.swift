import CWebImageGTK
import Foundation
import WebImage
import WebImageGTK

/// A page that shows the first picture in each content mode, with each indicator, in the middle of each transition, or
/// through each transformer. `Scripts/demo --pictures` makes the guides' pictures from these pages.
@MainActor struct Sheet {
    enum Name: String, CaseIterable {
        case views, indicators, transitions, transformers
    }

    private static let columns = 4
    private static let side = CGSize(width: 168, height: 126)
    /// The duration of the transitions, in seconds. The screenshot shows them at ``moment``.
    private static let duration = 4.0
    private static let moment = 0.4

    let widget: UnsafeMutablePointer<GtkWidget>
    private let flow = gtk_grid_new()!
    private var views: [ImageView] = []
    /// What begins when all pictures are there.
    private var starts: [@MainActor () -> Void] = []

    /// Makes a window with the page, for the first URL. A transition begins with the second one.
    init(_ name: Name, _ urls: [URL], title: String, application: UnsafeMutablePointer<GtkApplication>) {
        widget = gtk_application_window_new(application)
        let window = UnsafeMutablePointer<GtkWindow>(OpaquePointer(widget))
        gtk_window_set_title(window, title)
        gtk_window_set_decorated(window, 0)
        let grid = UnsafeMutablePointer<GtkGrid>(OpaquePointer(flow))
        gtk_grid_set_row_spacing(grid, 14)
        gtk_grid_set_column_spacing(grid, 14)
        for set in [
            gtk_widget_set_margin_top, gtk_widget_set_margin_bottom, gtk_widget_set_margin_start,
            gtk_widget_set_margin_end,
        ] { set(flow, 16) }
        gtk_window_set_child(window, flow)
        guard let url = urls.first else { return }
        switch name {
        case .views: showViews(url)
        case .indicators: showIndicators(url)
        case .transitions: showTransitions(from: urls.dropFirst().first ?? url, to: url)
        case .transformers: showTransformers(url)
        }
    }

    /// Waits for the pictures, at most 20 s, and starts the transitions.
    func start() async {
        for _ in 0..<400 where !views.allSatisfy({ $0.image != nil }) { try? await Task.sleep(for: .milliseconds(50)) }
        for start in starts { start() }
    }

    /// Saves the page as an image. Returns the exit code: 2 if a picture is missing or the file cannot be written.
    func save(_ path: String) async -> Int32 {
        try? await Task.sleep(for: .seconds(Self.duration * Self.moment))
        let isSaved = WidgetSnapshot.save(OpaquePointer(widget), toPNG: path)
        return isSaved && views.allSatisfy { $0.image != nil } ? 0 : 2
    }

    /// Adds a view with a line of text below.
    private mutating func add(_ name: String, _ prepare: (ImageView) -> Void) {
        let view = ImageView()
        view.fixedSize = Self.side
        gtk_widget_add_css_class(UnsafeMutablePointer(view.widget), "picture")
        prepare(view)
        let label = gtk_label_new(name)!
        let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6)!
        for child in [UnsafeMutablePointer<GtkWidget>(view.widget), label] {
            gtk_widget_set_halign(child, GTK_ALIGN_CENTER)
            gtk_box_append(UnsafeMutablePointer(OpaquePointer(box)), child)
        }
        let number = gint(views.count)
        gtk_grid_attach(
            UnsafeMutablePointer(OpaquePointer(flow)), box, number % gint(Self.columns), number / gint(Self.columns), 1,
            1)
        views.append(view)
    }

    private mutating func showViews(_ url: URL) {
        let modes: [(String, ImageContentMode)] = [
            (".fit", .fit), (".cover", .cover), (".fill", .fill), (".center", .center),
        ]
        for (name, mode) in modes {
            add("contentMode = \(name)") { view in
                view.contentMode = mode
                let size: WebImageContext =
                    mode == .center ? [.imageThumbnailPixelSize: CGSize(width: 96, height: 96)] : [:]
                view.setImage(with: url, context: size)
            }
        }
        add("cornerRadius = 24") { view in
            view.contentMode = .cover
            view.cornerRadius = 24
            view.setImage(with: url)
        }
        add("fixedSize, cornerRadius = 48") { view in
            view.fixedSize = CGSize(width: 96, height: 96)
            view.contentMode = .cover
            view.cornerRadius = 48
            view.setImage(with: url)
        }
        add("placeholderImage") { $0.setImage(with: nil, placeholderImage: Artwork.placeholder) }
        add("errorImage") { view in
            view.errorImage = Artwork.broken
            view.setImage(with: URL(fileURLWithPath: "/nonexistent.png"))
        }
    }

    private mutating func showIndicators(_ url: URL) {
        let indicators: [(String, @MainActor () -> any WebImageIndicator)] = [
            ("WebImageActivityIndicator.medium", { WebImageActivityIndicator.medium }),
            (".large", { WebImageActivityIndicator.large }),
            ("WebImageProgressIndicator.bar", { WebImageProgressIndicator.bar }),
            (".ring", { WebImageProgressIndicator.ring }), (".overlay", { WebImageProgressIndicator.overlay }),
        ]
        let manager = WebImageManager(cache: ImageCache(namespace: "sheet"), loader: UnfinishedLoader())
        for (name, make) in indicators {
            add(name) { view in
                view.contentMode = .cover
                view.imageIndicator = make()
                view.setImage(with: url) { [weak view] image, _, _, _ in
                    guard let view, let image, let unfinished = URL(string: "unfinished:\(name)") else { return }
                    view.setImage(with: unfinished, placeholderImage: image, context: [.customManager: manager])
                }
            }
        }
    }

    private mutating func showTransitions(from first: URL, to second: URL) {
        let transitions: [(String, WebImageTransition)] = [
            (".fade", .fade(duration: Self.duration)), (".flipFromLeft", .flipFromLeft(duration: Self.duration)),
            (".flipFromTop", .flipFromTop(duration: Self.duration)), (".curlUp", .curlUp(duration: Self.duration)),
            (".curlDown", .curlDown(duration: Self.duration)),
            (".look(.transitionPushFromLeft)", .look(.transitionPushFromLeft, duration: Self.duration)),
            (".look(.transitionMoveInFromTop)", .look(.transitionMoveInFromTop, duration: Self.duration)),
            (".look(.transitionPushFromBottom)", .look(.transitionPushFromBottom, duration: Self.duration)),
        ]
        for (name, transition) in transitions {
            transition.timingFunction = { $0 }
            add(name) { view in
                view.contentMode = .cover
                view.setImage(with: first)
            }
            starts.append { [weak view = views.last] in
                view?.imageTransition = transition
                view?.setImage(with: second, options: [.forceTransition, .delayPlaceholder])
            }
        }
    }

    private mutating func showTransformers(_ url: URL) {
        let red = ImageColor(red: 0.8, green: 0.1, blue: 0.2)
        let transformers: [(String, any ImageTransformer)] = [
            ("ImageCroppingTransformer", ImageCroppingTransformer(rect: CGRect(x: 60, y: 40, width: 168, height: 126))),
            ("ImageFlippingTransformer", ImageFlippingTransformer(horizontal: true, vertical: false)),
            ("ImageRotationTransformer", ImageRotationTransformer(angle: .pi / 12, fitSize: true)),
            (
                "ImageRoundCornerTransformer",
                ImageRoundCornerTransformer(
                    radius: 60, corners: [.topLeft, .topRight], borderWidth: 6, borderColor: red)
            ),
            ("ImageCircleTransformer", ImageCircleTransformer(borderWidth: 6, borderColor: .white)),
            ("ImageLetterboxTransformer", ImageLetterboxTransformer(size: CGSize(width: 400, height: 160))),
            ("ImageBlurTransformer", ImageBlurTransformer(radius: 8)),
            ("ImageTintTransformer", ImageTintTransformer(color: red, blendMode: .multiply)),
            ("ImageGradientTransformer", ImageGradientTransformer(gradient: ImageGradient(colors: [.clear, .black]))),
            ("ColorFilter.sepia", ImageFilterTransformer(filter: ColorFilter.sepia())),
            ("ColorFilter.invert", ImageFilterTransformer(filter: ColorFilter.invert)),
            ("ColorFilter.saturation(0)", ImageFilterTransformer(filter: ColorFilter.saturation(0))),
        ]
        for (name, transformer) in transformers {
            let resize = ImageResizingTransformer(size: CGSize(width: 336, height: 252), scaleMode: .aspectFill)
            let both = ImagePipelineTransformer(transformers: [resize, transformer])
            add(name) { $0.setImage(with: url, context: [.imageTransformer: both]) }
        }
    }
}

/// Reports three fifths of each picture and then waits until the load is cancelled.
private struct UnfinishedLoader: ImageLoader {
    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        progress?(60_000, 100_000, load.url)
        try? await Task.sleep(for: .seconds(3600))
        throw .cancelled
    }
}
