// snippet: thumbnails
import Foundation
import WebImage
import WebImageGTK

/// A row that is a picture and nothing else: hand the factory to `gtk_grid_view_new(model, …)`.
@MainActor func thumbnails(of photos: [URL]) -> OpaquePointer {
    let rows = ImageListFactory { position in
        ImageListRequest(photos[position], context: [.imageThumbnailPixelSize: CGSize(width: 192, height: 192)])
    }
    return rows.retainedFactory()
}
// end
