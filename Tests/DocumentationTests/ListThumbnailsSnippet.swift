// snippet: thumbnails
import Foundation
import WebImage
import WebImageGTK

/// Returns a factory for rows that contain only a picture. Pass it to `gtk_grid_view_new(model, …)`.
@MainActor func thumbnails(of photos: [URL]) -> OpaquePointer {
    let rows = ImageListFactory { position in
        ImageListRequest(photos[position], context: .thumbnail(.viewSize))
    } make: {
        let view = ImageView()
        view.fixedSize = CGSize(width: 96, height: 96)
        return view
    }
    return rows.retainedFactory()
}
// end
