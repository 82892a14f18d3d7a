// snippet: gtk
import Foundation
import WebImage
import WebImageGTK

/// Shows a URL in a row's GtkPicture. Create the widget in the list factory's "setup" handler, and call this in "bind".
@MainActor func show(_ url: URL, in picture: OpaquePointer, placeholder: Image?) {
    ImageView.adopting(picture)?.setImage(with: url, placeholderImage: placeholder)
}

/// Creates a new widget instead. Put `view.widget` into a container; you need not keep the returned object.
@MainActor func makeView(for url: URL) -> ImageView {
    let view = ImageView()
    view.fixedSize = CGSize(width: 200, height: 200)
    view.setImage(with: url, context: .thumbnail(.viewSize)) { _, error, _, _ in
        if let error { print(error) }
    }
    return view
}
// end
