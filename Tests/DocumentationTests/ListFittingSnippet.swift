// snippet: fitting
import Foundation
import WebImage
import WebImageGTK

/// Scenes one below the other, as wide as the list; put its widget into a `GtkScrolledWindow`.
@MainActor func scenes(_ urls: [URL]) -> FittingList {
    FittingList(count: urls.count, spacing: 8) { position in ImageListRequest(urls[position]) }
}

/// The same sideways, with room for portraits until more is known.
@MainActor func film(_ urls: [URL]) -> FittingList {
    FittingList(
        .horizontal, count: urls.count, request: { ImageListRequest(urls[$0]) },
        make: { FittingImageView(.widthForHeight, defaultProportions: PixelSize(width: 2, height: 3)) })
}
// end
