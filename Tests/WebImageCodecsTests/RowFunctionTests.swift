import CWebImagePixelLoops
import CWebImageYUV
import Foundation
import Testing
import WebImageCore
import WebImageGraphics
import WebImageTesting

/// Tests the row functions at every width from 1 to 200 px, with inaccessible memory pages around the rows.
///
/// A read or write outside the rows crashes the test process.
@Suite struct RowFunctionTests {
    @Test(arguments: RowFunction.all)
    func everyWidthIsProcessedWithinItsRows(_ function: RowFunction) throws {
        var random = SeededRandom(seed: 1904)
        for width in 1...200 {
            // Nine rows do not fit into the stack buffer of a row function.
            for (height, padding) in [(1, 0), (9, 5)] {
                for edge in GuardedRows.Edge.allCases {
                    try check(function, width: width, height: height, padding: padding, edge: edge, random: &random)
                }
            }
        }
    }

    /// libyuv chooses its code by the instructions of the processor. The result must not depend on them.
    ///
    /// Other tests that run meanwhile use the same code, which is right as well.
    @Test func everyInstructionSetOfLibyuvWritesTheSamePixels() throws {
        defer { _ = MaskCpuFlags(-1) }
        var random = SeededRandom.printingSeed()
        let known = Int(TestCpuFlag(-1))
        // Each set has all bits below one bit: the portable code, SSE2, SSSE3, … on x86-64.
        let sets = (1..<20).map { (1 << $0) - 1 }.filter { $0 < known }
        #expect(Set(sets.map { $0 & known }).count > 1)
        for (index, set) in sets.enumerated() where index == 0 || set & known != sets[index - 1] & known {
            _ = MaskCpuFlags(Int32(set))
            for function in RowFunction.all {
                for width in [64 * Int.random(in: 1...3, using: &random), Int.random(in: 1...200, using: &random)] {
                    try check(function, width: width, height: 9, padding: 5, edge: .last, random: &random)
                }
            }
            try checkShrinking(widths: [64, 67, 200], format: .bgra8Premultiplied)
        }
    }

    private func check(
        _ function: RowFunction, width: Int, height: Int, padding: Int, edge: GuardedRows.Edge,
        random: inout SeededRandom
    ) throws {
        func rows(_ bytes: Int) -> GuardedRows {
            GuardedRows(rowBytes: width * bytes, stride: (width + padding) * bytes, height: height, edge: edge)
        }
        let sources = function.sources.map(rows)
        let targets = function.targets.map(rows)
        for source in sources { source.fill(with: &random) }
        for target in targets { target.fill(7) }
        #expect(function.call(sources, targets, Int32(width), Int32(height)) == 0)
        for target in targets where !target.paddingIs(7) {
            Issue.record("\(function): \(width) px: bytes between the rows were written")
        }
        // Check the first pixel, the last four pixels of the last full vector (64 px), and all pixels after this
        // vector.
        let columns = [0] + (max(0, width / 64 * 64 - 4)..<width)
        for (row, x) in Set([0, height - 1]).flatMap({ row in columns.map { (row, $0) } }) {
            let place = function.isMirrored ? width - 1 - x : x
            let pixels = zip(sources, function.sources).map { $0.pixel(row: row, at: place, bytes: $1) }
            let wanted = function.reference(pixels)
            for (index, bytes) in function.targets.enumerated() {
                let given = targets[index].pixel(row: row, at: x, bytes: bytes)
                let worst = zip(given, wanted[index]).map { abs(Int($0) - Int($1)) }.max() ?? 0
                guard worst > function.tolerance else { continue }
                Issue.record("\(function): \(width) px, pixel \(x): \(given), not \(wanted[index]), of \(pixels)")
                return
            }
        }
    }

    @Test(arguments: [1, 4], [false, true])
    func everyShapeIsRotated(bytes: Int, isClockwise: Bool) {
        var random = SeededRandom(seed: 90)
        for (width, height) in [(1, 1), (5, 200), (200, 5), (63, 65), (64, 64), (65, 63), (128, 1), (130, 67)] {
            for edge in GuardedRows.Edge.allCases {
                let source = GuardedRows(rowBytes: width * bytes, stride: width * bytes, height: height, edge: edge)
                let target = GuardedRows(rowBytes: height * bytes, stride: height * bytes, height: width, edge: edge)
                source.fill(with: &random)
                let result = webimage_yuv_turn(
                    source.start, source.stride, target.start, target.stride, Int32(width), Int32(height), Int32(bytes),
                    isClockwise ? 1 : 0)
                #expect(result == 0)
                let isRight = (0..<height).allSatisfy { y in
                    (0..<width).allSatisfy { x in
                        target.pixel(
                            row: isClockwise ? x : width - 1 - x, at: isClockwise ? height - 1 - y : y, bytes: bytes)
                            == source.pixel(row: y, at: x, bytes: bytes)
                    }
                }
                #expect(isRight, "\(width) x \(height)")
            }
        }
    }

    /// Tests the box filter of libyuv at every width from 1 to 200 px. The filter must not read the padding after a
    /// row.
    @Test(arguments: [PixelFormat.gray8, .rgb8, .bgra8Premultiplied])
    func plainColorIsUnchangedByShrinking(format: PixelFormat) throws {
        try checkShrinking(widths: Array(1...200), format: format)
    }

    private func checkShrinking(widths: [Int], format: PixelFormat) throws {
        for width in widths {
            for factor in [1, 2, 3, 4, 7] {
                let shrinker = try RowShrinker(PixelSize(width: width, height: 9), format: format, factor: factor)
                while !shrinker.isDone {
                    let (start, stride) = shrinker.target
                    for row in 0..<shrinker.wantedRowCount {
                        memset(start + row * stride, 201, width * format.bytesPerPixel)
                    }
                    shrinker.finishBand()
                }
                let pixels = shrinker.result
                for row in 0..<pixels.height {
                    let bytes = UnsafeRawBufferPointer(
                        start: pixels.baseAddress + row * pixels.bytesPerRow,
                        count: pixels.width * format.bytesPerPixel)
                    // Every source value is 201. A result may be up to 2 smaller, because libyuv multiplies by an
                    // approximate reciprocal instead of dividing.
                    #expect(bytes.allSatisfy { (199...201).contains($0) }, "\(width) px by \(factor)")
                }
            }
        }
    }

    @Test func plainColorIsUnchangedByBlurring() throws {
        for width in 1...200 {
            let pixels = try PixelBuffer(width: width, height: 3, format: .bgra8Premultiplied)
            memset(pixels.baseAddress, 255, pixels.byteCount)
            let blurred = try #require(Image(pixels: pixels).blurredImage(withRadius: 3)?.pixels)
            for row in 0..<blurred.height {
                let bytes = UnsafeRawBufferPointer(
                    start: blurred.baseAddress + row * blurred.bytesPerRow, count: width * 4)
                #expect(bytes.allSatisfy { $0 >= 254 }, "\(width) px")
            }
        }
    }
}

/// Memory for rows. The first row begins at an inaccessible page, or the last row ends at an inaccessible page.
final class GuardedRows {
    enum Edge: CaseIterable { case first, last }

    let start: UnsafeMutablePointer<UInt8>
    let stride: Int32
    private let rowBytes: Int
    private let height: Int
    private let mapping: UnsafeMutableRawPointer
    private let mappedBytes: Int

    init(rowBytes: Int, stride: Int, height: Int, edge: Edge) {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let count = stride * (height - 1) + rowBytes
        let whole = (count + page - 1) / page * page
        mappedBytes = whole + 2 * page
        mapping = mmap(nil, mappedBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        mprotect(mapping + page, whole, PROT_READ | PROT_WRITE)
        start = (mapping + page + (edge == .last ? whole - count : 0)).assumingMemoryBound(to: UInt8.self)
        self.stride = Int32(stride)
        self.rowBytes = rowBytes
        self.height = height
    }

    deinit { munmap(mapping, mappedBytes) }

    var start16: UnsafeMutablePointer<UInt16> { UnsafeMutableRawPointer(start).assumingMemoryBound(to: UInt16.self) }

    private var byteCount: Int { Int(stride) * (height - 1) + rowBytes }

    func fill(with random: inout SeededRandom) {
        for index in 0..<byteCount { start[index] = UInt8(truncatingIfNeeded: random.next()) }
    }

    func fill(_ byte: UInt8) { memset(start, Int32(byte), byteCount) }

    func pixel(row: Int, at x: Int, bytes: Int) -> [UInt8] {
        (0..<bytes).map { start[row * Int(stride) + x * bytes + $0] }
    }

    func paddingIs(_ byte: UInt8) -> Bool {
        (0..<height - 1).allSatisfy { row in
            (rowBytes..<Int(stride)).allSatisfy { start[row * Int(stride) + $0] == byte }
        }
    }
}
