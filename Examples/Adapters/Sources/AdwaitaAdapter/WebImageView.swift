// A view for Adwaita for Swift (adwaita-swift). The view shows the picture of a URL. Copy this file into your target.
// Here, the file is compiled against stubs of the declarations that it uses. It was not tested with the real package.
import Adwaita
import Foundation
import WebImage
import WebImageGTK

/// Shows the picture of a URL. The picture is decoded to fit `size` in pixels, or at full size if `size` is nil.
struct WebImageView: AdwaitaWidget {
    private let url: URL?
    private let size: CGSize?

    init(_ url: URL?, size: CGSize? = nil) {
        self.url = url
        self.size = size
    }

    func container<Data: ViewRenderData>(data: WidgetData, type: Data.Type) -> ViewStorage {
        // Adwaita creates and updates widgets on the main thread, which is the thread of the main actor.
        let view = MainActor.assumeIsolated { ImageView() }
        // A pointer is not Sendable, so pass its address as an integer out of the main actor.
        let storage = ViewStorage(OpaquePointer(bitPattern: MainActor.assumeIsolated { Int(bitPattern: view.widget) }))
        storage.fields["webImageView"] = view
        show(in: view)
        return storage
    }

    func update<Data: ViewRenderData>(
        _ storage: ViewStorage, data: WidgetData, updateProperties: Bool, type: Data.Type
    ) {
        // If the URL is the same, the view and its load do not change.
        if updateProperties, let view = storage.fields["webImageView"] as? ImageView { show(in: view) }
    }

    private func show(in view: ImageView) {
        let context: WebImageContext? = size.map { [.imageThumbnailPixelSize: $0] }
        MainActor.assumeIsolated { _ = view.setImage(with: url, context: context) }
    }
}
