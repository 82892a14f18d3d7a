// snippet: choice
import Foundation
import WebImage
import WebImageGTK

/// Returns a list in which the user can choose one picture.
@MainActor func chooser(_ urls: [URL], open: @escaping @MainActor (URL) -> Void) -> FittingList {
    let list = FittingList(count: urls.count) { ImageListRequest(urls[$0], context: .thumbnail(.viewSize)) }
    list.selectionMode = .single
    list.onActivate = { position in open(urls[position]) }
    return list
}
// end
