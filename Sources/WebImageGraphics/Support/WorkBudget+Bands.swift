import WebImageCore

extension WorkBudget {
    /// The number of pixels between two checks. Filters take about 0.1 µs per pixel at most.
    private static let pixelsPerBand = 1 << 17

    /// Calls `body` for bands of rows from top to bottom. Checks the current budget before each band.
    static func forBands(of buffer: PixelBuffer, _ body: (Range<Int>) -> Void) throws(WebImageError) {
        try forBands(width: buffer.width, height: buffer.height, body)
    }

    static func forBands(width: Int, height: Int, _ body: (Range<Int>) -> Void) throws(WebImageError) {
        let budget = current
        let rowCount = max(pixelsPerBand / max(width, 1), 1)
        var row = 0
        while row < height {
            try budget?.check()
            let end = min(row + rowCount, height)
            body(row..<end)
            row = end
        }
    }
}
