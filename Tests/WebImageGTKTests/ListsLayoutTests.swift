import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageGTK

@Suite("List layout", .timeLimit(minutes: 1)) struct ListsLayoutTests {
    @Test func extentsEqualPlainSums() {
        var random = SeededRandom.printingSeed()
        for _ in 0..<30 {
            var plain = (0..<Int.random(in: 0...70, using: &random)).map { _ in 0 }
            var extents = RowExtents(count: plain.count)
            for _ in 0..<60 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0:
                    let (row, extent) = (
                        Int.random(in: 0...plain.count, using: &random), Int.random(in: 0...9, using: &random)
                    )
                    plain.insert(contentsOf: [extent, extent], at: row)
                    extents.insert(extent, count: 2, at: row)
                case 1 where plain.count > 3:
                    let row = Int.random(in: 0..<plain.count - 2, using: &random)
                    plain.removeSubrange(row..<row + 2)
                    extents.remove(row..<row + 2)
                case 2:
                    plain = plain.map { $0 + 1 }
                    extents.change { $0 + 1 }
                default:
                    guard !plain.isEmpty else { continue }
                    let (row, extent) = (
                        Int.random(in: 0..<plain.count, using: &random), Int.random(in: 0...500, using: &random)
                    )
                    plain[row] = extent
                    extents[row] = extent
                }
                #expect(extents.count == plain.count)
                #expect(extents.total == plain.reduce(0, +))
                var start = 0
                for (row, extent) in plain.enumerated() {
                    #expect(extents[row] == extent && extents.start(of: row) == start)
                    if extent > 0 {
                        #expect(extents.row(at: start) == row)
                        #expect(extents.row(at: start + extent - 1) == row)
                    }
                    start += extent
                }
            }
        }
    }

    @Test func offsetsOutsideMapToTheFirstAndLastRow() {
        let extents = RowExtents(repeating: 10, count: 5)
        #expect(extents.row(at: -100) == 0)
        #expect(extents.row(at: 49) == 4)
        #expect(extents.row(at: 50) == 4)
        #expect(extents.row(at: .max) == 4)
        #expect(RowExtents().row(at: 7) == 0)
    }

    @Test func extremeExtentsAreClamped() {
        var extents = RowExtents(repeating: .max, count: 2)
        #expect(extents.total == 2 * Int(Int32.max))
        extents[0] = -5
        #expect(extents[0] == 0)
    }

    /// Rows are drawn at whole pixels, and half a pixel is rounded away from zero.
    @Test func rowThatIsDrawnCompletelyIsTheAnchorAtHalfAPixel() {
        var layout = FittingLayout(count: 3, extent: 200)
        layout.setExtent(401, of: 0, keeping: 1)
        #expect(layout.start(of: 0) == -201)
        #expect(layout.anchor(value: -200.5, page: 500, previous: nil, isSettled: { _ in true }) == 0)
    }

    @Test func anchorKeepsItsPositionThroughEveryChange() {
        var random = SeededRandom.printingSeed()
        for _ in 0..<50 {
            var layout = FittingLayout(count: 100, extent: 50)
            for _ in 0..<100 {
                let anchor = Int.random(in: 0..<layout.count, using: &random)
                let place = layout.start(of: anchor)
                let row = Int.random(in: 0..<layout.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    layout.insert(3, extent: 20, at: row, keeping: anchor)
                    #expect(layout.start(of: row <= anchor ? anchor + 3 : anchor) == place)
                case 1 where row > anchor + 3 || row + 2 < anchor:
                    guard row + 2 < layout.count, layout.count > 20 else { continue }
                    layout.remove(row..<row + 2, keeping: anchor)
                    #expect(layout.start(of: row < anchor ? anchor - 2 : anchor) == place)
                case 2:
                    layout.changeAll(keeping: anchor) { $0 * 3 / 2 % 400 + 1 }
                    #expect(layout.start(of: anchor) == place)
                default:
                    layout.setExtent(.random(in: 0...700, using: &random), of: row, keeping: anchor)
                    #expect(layout.start(of: anchor) == place)
                }
            }
        }
    }

    @Test func visibleRowsShowAtLeastAPixel() {
        let layout = FittingLayout(count: 10, extent: 50)
        #expect(layout.rows(from: 0, to: 100) == 0..<2)
        #expect(layout.rows(from: 0.5, to: 100.5) == 0..<3)
        #expect(layout.rows(from: 49.9, to: 50) == 0..<1)
        #expect(layout.rows(from: 490, to: 900) == 9..<10)
        #expect(layout.rows(from: 500, to: 900).isEmpty)
        #expect(layout.rows(from: -90, to: 0).isEmpty)
    }

    @Test func anchorIsTheFirstSettledRowWhollyInSight() {
        let layout = FittingLayout(count: 10, extent: 50)
        func anchor(_ value: Double, previous: Int? = nil, unsettled: Set<Int> = []) -> Int {
            layout.anchor(value: value, page: 160, previous: previous) { !unsettled.contains($0) }
        }
        #expect(anchor(0) == 0)
        // At the beginning, the first row.
        #expect(anchor(0, previous: 1, unsettled: [0]) == 0)
        #expect(anchor(1) == 1)
        #expect(anchor(1, unsettled: [1]) == 2)
        // The previous anchor stays the anchor only while its row is completely visible.
        #expect(anchor(1, previous: 2) == 2)
        #expect(anchor(101, previous: 2) == 3)
        #expect(anchor(1, unsettled: Set(0..<10)) == 1)
    }

    @Test func rowHigherThanTheViewportIsItsOwnAnchor() {
        let layout = FittingLayout(count: 3, extent: 1000)
        #expect(layout.anchor(value: 1200, page: 300, previous: nil) { _ in true } == 1)
    }
}
