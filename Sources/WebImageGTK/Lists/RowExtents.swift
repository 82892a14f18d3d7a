/// The extents of all rows of a list along its scroll direction, in pixels, and the offset where each row begins.
///
/// The extents are stored in a Fenwick tree. Changing one extent, finding the start of a row and finding the row at an
/// offset take about log₂ n steps each for n rows. Therefore a list of a million rows scrolls as fast as a short list.
/// The tree uses 12 bytes per row.
struct RowExtents: Sendable {
    private var extents: [Int32]
    /// `tree[i - 1]` is the sum of the `i & -i` extents that end with row `i - 1`.
    private var tree: [Int]

    /// Makes `count` rows of the same extent.
    init(repeating extent: Int = 0, count: Int = 0) {
        extents = Array(repeating: Self.stored(extent), count: count)
        tree = []
        rebuild()
    }

    /// The number of rows.
    var count: Int { extents.count }

    /// The sum of all extents.
    var total: Int { start(of: count) }

    /// The extent of one row; clamped to 0…`Int32.max`.
    subscript(row: Int) -> Int {
        get { Int(extents[row]) }
        set {
            let new = Self.stored(newValue)
            let change = Int(new - extents[row])
            guard change != 0 else { return }
            extents[row] = new
            var index = row + 1
            while index <= tree.count {
                tree[index - 1] += change
                index += index & -index
            }
        }
    }

    /// Returns the offset where a row begins. For the row `count`, returns the end of the last row.
    func start(of row: Int) -> Int {
        var sum = 0
        var index = row
        while index > 0 {
            sum += tree[index - 1]
            index -= index & -index
        }
        return sum
    }

    /// Returns the row that covers an offset. Returns the first row for an offset before the beginning, the last row
    /// for an offset after the end, and 0 if there are no rows.
    func row(at offset: Int) -> Int {
        var (row, rest) = (0, offset)
        var step = count == 0 ? 0 : 1 << (Int.bitWidth - 1 - count.leadingZeroBitCount)
        while step > 0 {
            if row + step <= count, tree[row + step - 1] <= rest {
                row += step
                rest -= tree[row - 1]
            }
            step >>= 1
        }
        return max(min(row, count - 1), 0)
    }

    /// Inserts rows of the same extent before `row`; linear in the number of rows.
    mutating func insert(_ extent: Int, count: Int, at row: Int) {
        extents.insert(contentsOf: repeatElement(Self.stored(extent), count: count), at: row)
        rebuild()
    }

    /// Removes rows; linear in the number of rows.
    mutating func remove(_ rows: Range<Int>) {
        extents.removeSubrange(rows)
        rebuild()
    }

    /// Changes every extent; linear in the number of rows.
    mutating func change(_ body: (Int) -> Int) {
        extents = extents.map { Self.stored(body(Int($0))) }
        rebuild()
    }

    private mutating func rebuild() {
        tree = extents.map(Int.init)
        for index in 1..<max(tree.count + 1, 1) {
            let parent = index + (index & -index)
            if parent <= tree.count { tree[parent - 1] += tree[index - 1] }
        }
    }

    private static func stored(_ extent: Int) -> Int32 { Int32(clamping: max(extent, 0)) }
}
