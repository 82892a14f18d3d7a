// snippet: chat
import Foundation
import WebImage
import WebImageGTK

/// Returns a list that shows its newest picture. Call `insertRows(1, at: list.count)` for each new one.
@MainActor func chat(_ photo: @escaping @MainActor (Int) -> URL?, count: Int) -> FittingList {
    let list = FittingList(count: count, spacing: 6) { ImageListRequest(photo($0)) }
    list.staysAtEnd = true
    return list
}
// end
