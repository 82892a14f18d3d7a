// snippet: messages
import Foundation
import WebImage
import WebImageGTK

/// A message with a photo and the portrait of its author.
@MainActor final class MessageRow: ImageListRow {
    let widget: OpaquePointer
    let imageView = ImageView()
    let portrait = ImageView()
    var furtherImageViews: [ImageView] { [portrait] }

    /// Your toolkit binding puts the two widgets into a box.
    init(_ arrange: (_ portrait: OpaquePointer, _ photo: OpaquePointer) -> OpaquePointer) {
        portrait.fixedSize = CGSize(width: 32, height: 32)
        imageView.fixedSize = CGSize(width: 240, height: 160)
        widget = arrange(portrait.widget, imageView.widget)
    }
}

@MainActor func messages(
    _ messages: [(photo: URL?, portrait: URL?)], makeRow: @escaping @MainActor () -> MessageRow
) -> ImageListFactory {
    ImageListFactory(
        request: { position in
            var request = ImageListRequest(messages[position].photo)
            request.further = [ImageListRequest(messages[position].portrait)]
            return request
        }, make: makeRow)
}
// end
