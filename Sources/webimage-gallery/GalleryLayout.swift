/// The size of the window and the number of cards in a row.
struct GalleryLayout {
    /// The size of a card with its margins, in points.
    static let cell = (width: 256, height: 220)
    /// The maximum height of a screenshot, in points.
    static let maxHeight = 8000

    let columns: Int
    /// The exact number of columns. Nil if the current width of the window determines the number of columns.
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
