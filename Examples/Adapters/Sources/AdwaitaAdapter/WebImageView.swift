// A picture from a URL in Adwaita for Swift (adwaita-swift): copy this file into your target.
// It is compiled here against stubs of the declarations it uses and was not tested with the real package.
import Adwaita
import Foundation
import WebImage
import WebImageGTK

/// Shows the picture of a URL, decoded to fit a size in pixels.
struct WebImageView: AdwaitaWidget {
    private let url: URL?
    private let size: CGSize?

    init(_ url: URL?, size: CGSize? = nil) {
        self.url = url
        self.size = size
    }

    func container<Data: ViewRenderData>(data: WidgetData, type: Data.Type) -> ViewStorage {
        // Adwaita makes and updates widgets on the main thread, which is the main actor's.
        let view = MainActor.assumeIsolated { ImageView() }
        // A pointer is not Sendable and cannot leave the main actor; its address can.
        let storage = ViewStorage(OpaquePointer(bitPattern: MainActor.assumeIsolated { Int(bitPattern: view.widget) }))
        storage.fields["webImageView"] = view
        show(in: view)
        return storage
    }

    func update<Data: ViewRenderData>(
        _ storage: ViewStorage, data: WidgetData, updateProperties: Bool, type: Data.Type
    ) {
        // The same URL leaves the view and its load unchanged.
        if updateProperties, let view = storage.fields["webImageView"] as? ImageView { show(in: view) }
    }

    private func show(in view: ImageView) {
        let context: WebImageContext? = size.map { [.imageThumbnailPixelSize: $0] }
        MainActor.assumeIsolated { _ = view.setImage(with: url, context: context) }
    }
}
