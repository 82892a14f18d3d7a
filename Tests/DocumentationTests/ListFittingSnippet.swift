// snippet: fitting
import Foundation
import WebImage
import WebImageGTK

/// Returns a vertical list of pictures that are as wide as the list. Put its widget into a `GtkScrolledWindow`.
@MainActor func scenes(_ urls: [URL]) -> FittingList {
    FittingList(count: urls.count, spacing: 8) { ImageListRequest(urls[$0], context: .thumbnail(.viewSize)) }
}

/// Returns a horizontal list. Until the size of a picture is known, its row has the proportions of a portrait.
@MainActor func film(_ urls: [URL]) -> FittingList {
    FittingList(
        .horizontal, count: urls.count, request: { ImageListRequest(urls[$0], context: .thumbnail(.viewSize)) },
        make: { FittingImageView(.widthForHeight, defaultProportions: PixelSize(width: 2, height: 3)) })
}
// end
