/// How large the window is and how many cards stand in a row.
struct GalleryLayout {
    /// A card with its margins, in points.
    static let cell = (width: 256, height: 220)
    /// A screenshot grows no higher than this.
    static let maxHeight = 8000

    let columns: Int
    /// Set when the caller wants so many and no more.
    let fixedColumns: Int?
    let width: Int
    let height: Int

    init(_ arguments: GalleryArguments) {
        let wanted = arguments.columns ?? min(arguments.urls.count, (arguments.width ?? 1000) / Self.cell.width)
        columns = max(1, wanted)
        fixedColumns = arguments.columns ?? (arguments.screenshot == nil ? nil : columns)
        let least = arguments.columns == nil && arguments.screenshot == nil ? 0 : columns * Self.cell.width + 16
        width = max(arguments.width ?? (least == 0 ? 1100 : 0), least)
        let rows = (arguments.urls.count + columns - 1) / columns
        let whole = rows * Self.cell.height + 16
        height = arguments.height ?? (arguments.screenshot == nil ? min(whole, 760) : min(whole, Self.maxHeight))
    }
}
