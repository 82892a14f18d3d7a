// snippet: people
import Foundation
import WebImage
import WebImageGTK

/// The widgets of one row. They are created once and reused for many positions.
@MainActor final class PersonRow: ImageListRow {
    let widget: OpaquePointer
    let imageView = ImageView()
    private let setName: (String) -> Void

    /// Your toolkit binding puts `imageView.widget` and a label into a box.
    init(_ arrange: (_ picture: OpaquePointer) -> (box: OpaquePointer, setName: (String) -> Void)) {
        (widget, setName) = arrange(imageView.widget)
    }

    var name = "" { didSet { setName(name) } }
}

@MainActor func people(
    _ people: [(name: String, portrait: String)], makeRow: @escaping @MainActor () -> PersonRow
) -> ImageListFactory {
    ImageListFactory(
        policy: ScrollPrefetchPolicy(screensAhead: 3),
        request: { ImageListRequest(URL(string: people[$0].portrait), context: .thumbnail(.viewSize)) },
        make: makeRow,
        bind: { row, position in row.name = people[position].name })
}
// end
