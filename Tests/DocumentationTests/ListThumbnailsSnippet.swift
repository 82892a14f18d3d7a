// snippet: thumbnails
import Foundation
import WebImage
import WebImageGTK

/// Returns a factory for rows that contain only a picture. Pass it to `gtk_grid_view_new(model, …)`.
@MainActor func thumbnails(of photos: [URL]) -> OpaquePointer {
    let rows = ImageListFactory { position in
        ImageListRequest(photos[position], context: [.imageThumbnailPixelSize: CGSize(width: 192, height: 192)])
    }
    return rows.retainedFactory()
}
// end
