// snippet: gtk
import Foundation
import WebImage
import WebImageGTK

/// Called by a list factory's "bind": the row's GtkPicture, made in "setup", shows this URL from now on.
@MainActor func show(_ url: URL, in picture: OpaquePointer, placeholder: Image?) {
    ImageView.adopting(picture)?.setImage(with: url, placeholderImage: placeholder)
}

/// Or a widget of its own; put `view.widget` into a container, and the handle may go.
@MainActor func makeView(for url: URL) -> ImageView {
    let view = ImageView()
    view.setImage(with: url, context: [.imageThumbnailPixelSize: CGSize(width: 400, height: 400)]) { _, error, _, _ in
        if let error { print(error) }
    }
    return view
}
// end
