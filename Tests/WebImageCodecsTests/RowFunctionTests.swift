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

/// A row function, and its effect on one pixel.
struct RowFunction: CustomTestStringConvertible, CustomStringConvertible, Sendable {
    typealias Call = @Sendable ([GuardedRows], [GuardedRows], Int32, Int32) -> Int32

    let name: String
    /// The bytes per pixel of each source and target.
    let sources: [Int]
    let targets: [Int]
    var tolerance = 0
    var isMirrored = false
    let call: Call
    /// Computes one pixel of each target from one pixel of each source.
    let reference: @Sendable ([[UInt8]]) -> [[UInt8]]

    var description: String { name }
    var testDescription: String { name }
}

extension RowFunction {
    static let all: [RowFunction] = splitting + merging + layouts + arithmetic

    private typealias OneSource =
        @Sendable (
            UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32, Int32, Int32
        ) -> Int32

    private static func one(
        _ name: String, _ source: Int, _ target: Int, tolerance: Int = 0, _ function: @escaping OneSource,
        _ reference: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> RowFunction {
        RowFunction(
            name: name, sources: [source], targets: [target], tolerance: tolerance,
            call: { function($0[0].start, $0[0].stride, $1[0].start, $1[0].stride, $2, $3) },
            reference: { [reference($0[0])] })
    }

    private static let splitting: [RowFunction] = [
        RowFunction(name: "split_rgb", sources: [3], targets: [1, 1, 1]) { s, t, width, height in
            webimage_yuv_split_rgb(
                s[0].start, s[0].stride, t[0].start, t[0].stride, t[1].start, t[1].stride, t[2].start, t[2].stride,
                width, height)
        } reference: {
            $0[0].map { [$0] }
        },
        RowFunction(name: "split_bgra", sources: [4], targets: [1, 1, 1, 1]) { s, t, width, height in
            webimage_yuv_split_bgra(
                s[0].start, s[0].stride, t[0].start, t[0].stride, t[1].start, t[1].stride, t[2].start, t[2].stride,
                t[3].start, t[3].stride, width, height)
        } reference: {
            [[$0[0][2]], [$0[0][1]], [$0[0][0]], [$0[0][3]]]
        },
        RowFunction(name: "split_bgra without alpha", sources: [4], targets: [1, 1, 1]) { s, t, width, height in
            webimage_yuv_split_bgra(
                s[0].start, s[0].stride, t[0].start, t[0].stride, t[1].start, t[1].stride, t[2].start, t[2].stride,
                nil, 0, width, height)
        } reference: {
            [[$0[0][2]], [$0[0][1]], [$0[0][0]]]
        },
        RowFunction(name: "split_pairs16", sources: [4], targets: [2, 2]) { s, t, width, height in
            webimage_yuv_split_pairs16(
                s[0].start16, s[0].stride, t[0].start16, t[0].stride, t[1].start16, t[1].stride, width, height)
        } reference: {
            [Array($0[0][..<2]), Array($0[0][2...])]
        },
    ]

    private static let merging: [RowFunction] = [
        RowFunction(name: "merge_rgb", sources: [1, 1, 1], targets: [3]) { s, t, width, height in
            webimage_yuv_merge_rgb(
                s[0].start, s[0].stride, s[1].start, s[1].stride, s[2].start, s[2].stride, t[0].start, t[0].stride,
                width, height)
        } reference: {
            [$0.flatMap { $0 }]
        },
        RowFunction(name: "merge_bgra", sources: [1, 1, 1, 1], targets: [4]) { s, t, width, height in
            webimage_yuv_merge_bgra(
                s[0].start, s[0].stride, s[1].start, s[1].stride, s[2].start, s[2].stride, s[3].start, s[3].stride,
                t[0].start, t[0].stride, width, height)
        } reference: {
            [[$0[2][0], $0[1][0], $0[0][0], $0[3][0]]]
        },
        RowFunction(name: "merge_bgra without alpha", sources: [1, 1, 1], targets: [4]) { s, t, width, height in
            webimage_yuv_merge_bgra(
                s[0].start, s[0].stride, s[1].start, s[1].stride, s[2].start, s[2].stride, nil, 0, t[0].start,
                t[0].stride, width, height)
        } reference: {
            [[$0[2][0], $0[1][0], $0[0][0], 255]]
        },
        RowFunction(name: "merge_bgra16", sources: [2, 2, 2, 2], targets: [8]) { s, t, width, height in
            webimage_yuv_merge_bgra16(
                s[0].start16, s[0].stride, s[1].start16, s[1].stride, s[2].start16, s[2].stride, s[3].start16,
                s[3].stride, t[0].start16, t[0].stride, width, height)
        } reference: {
            [$0[2] + $0[1] + $0[0] + $0[3]]
        },
        RowFunction(name: "merge_bgra16 without alpha", sources: [2, 2, 2], targets: [8]) { s, t, width, height in
            webimage_yuv_merge_bgra16(
                s[0].start16, s[0].stride, s[1].start16, s[1].stride, s[2].start16, s[2].stride, nil, 0,
                t[0].start16, t[0].stride, width, height)
        } reference: {
            [$0[2] + $0[1] + $0[0] + [255, 255]]
        },
    ]

    private static let layouts: [RowFunction] = [
        one("swap_red_and_blue", 4, 4, webimage_yuv_swap_red_and_blue) { [$0[2], $0[1], $0[0], $0[3]] },
        one("rgb_to_bgra", 3, 4, webimage_yuv_rgb_to_bgra) { [$0[2], $0[1], $0[0], 255] },
        one("append_alpha", 3, 4, webimage_yuv_append_alpha) { $0 + [255] },
        one("drop_alpha", 4, 3, webimage_yuv_drop_alpha) { Array($0[..<3]) },
        one("gray_to_bgra", 1, 4, webimage_yuv_gray_to_bgra) { [$0[0], $0[0], $0[0], 255] },
        one("rgba_to_gray", 4, 1, tolerance: 2, webimage_yuv_rgba_to_gray) { [luma($0)] },
        one("rgb_to_gray", 3, 1, tolerance: 2, webimage_yuv_rgb_to_gray) { [luma($0)] },
        one("rgb565_to_bgra", 2, 4, tolerance: 1, webimage_yuv_rgb565_to_bgra) {
            let word = Int($0[0]) | Int($0[1]) << 8
            let (blue, green, red) = (word & 31, (word >> 5) & 63, word >> 11)
            return [widened(blue, 31), widened(green, 63), widened(red, 31), 255]
        },
        one("rgb555_to_bgra", 2, 4, tolerance: 1, webimage_yuv_rgb555_to_bgra) {
            let word = Int($0[0]) | Int($0[1]) << 8
            let channels: [UInt8] = [0, 5, 10].map { (shift: Int) -> UInt8 in widened((word >> shift) & 31, 31) }
            return channels + [word >> 15 == 1 ? 255 : 0]
        },
        RowFunction(name: "widen", sources: [4], targets: [8]) { s, t, width, height in
            webimage_yuv_widen(s[0].start, s[0].stride, t[0].start16, t[0].stride, width, height)
        } reference: {
            [$0[0].flatMap { [$0, $0] }]
        },
        RowFunction(name: "narrow", sources: [8], targets: [4]) { s, t, width, height in
            webimage_yuv_narrow(s[0].start16, s[0].stride, t[0].start, t[0].stride, width, height)
        } reference: { pixels in
            [(0..<4).map { pixels[0][2 * $0 + 1] }]
        },
        mirror(bytes: 1), mirror(bytes: 4),
    ]

    private static func mirror(bytes: Int) -> RowFunction {
        RowFunction(name: "mirror of \(bytes) bytes", sources: [bytes], targets: [bytes], isMirrored: true) {
            webimage_yuv_mirror($0[0].start, $0[0].stride, $1[0].start, $1[0].stride, $2, $3, Int32(bytes))
        } reference: {
            $0
        }
    }

    /// The instructions that this processor has for the own loops.
    private static let instructions = Array(0...webimage_widest_instructions())

    private static let arithmetic: [RowFunction] =
        instructions.flatMap { [premultiply($0), unpremultiply($0)] } + [
            two("subtract", webimage_yuv_subtract) { UInt8(max(0, Int($0) - Int($1))) },
            two("add", webimage_yuv_add) { UInt8(min(255, Int($0) + Int($1))) },
            blend, shuffle,
            // The test has filled the target with 7. The function must not change the colours of the target.
            one("set_alpha", 1, 4, webimage_yuv_set_alpha) { [7, 7, 7, $0[0]] },
        ]

    private static func premultiply(_ instructions: Int32) -> RowFunction {
        RowFunction(name: "premultiply by \(instructions)", sources: [4], targets: [4]) { s, t, width, height in
            webimage_premultiply_by(
                instructions, s[0].start, s[0].stride, t[0].start, t[0].stride, width, height)
        } reference: { (pixels: [[UInt8]]) -> [[UInt8]] in
            let alpha = Int(pixels[0][3])
            let colors = pixels[0][..<3].map { (value: UInt8) -> UInt8 in UInt8((Int(value) * alpha + 127) / 255) }
            return [colors + [pixels[0][3]]]
        }
    }

    private static func unpremultiply(_ instructions: Int32) -> RowFunction {
        RowFunction(name: "unpremultiply by \(instructions)", sources: [4], targets: [4]) { s, t, width, height in
            // Limit each colour to its alpha, as premultiplied input requires.
            for row in 0..<Int(height) {
                for x in 0..<Int(width) {
                    let pixel = s[0].start + row * Int(s[0].stride) + x * 4
                    for channel in 0..<3 { pixel[channel] = min(pixel[channel], pixel[3]) }
                }
            }
            return webimage_unpremultiply_by(
                instructions, s[0].start, s[0].stride, t[0].start, t[0].stride, width, height)
        } reference: { (pixels: [[UInt8]]) -> [[UInt8]] in
            let alpha = max(Int(pixels[0][3]), 1)
            let colors = pixels[0][..<3].map { (value: UInt8) -> UInt8 in
                UInt8((2 * Int(value) * 255 + alpha) / (2 * alpha))
            }
            return [colors + [pixels[0][3]]]
        }
    }

    private static let blend =
        RowFunction(name: "blend", sources: [4, 4], targets: [4], tolerance: 1) { s, t, width, height in
            webimage_yuv_blend(
                s[0].start, s[0].stride, s[1].start, s[1].stride, t[0].start, t[0].stride, width, height)
        } reference: { (pixels: [[UInt8]]) -> [[UInt8]] in
            let alpha = Int(pixels[0][3])
            let channels = (0..<3).map { (channel: Int) -> UInt8 in
                let below = Int(pixels[1][channel]) * (256 - alpha) / 256
                return UInt8(min(255, Int(pixels[0][channel]) + below))
            }
            return [channels + [255]]
        }

    private static let shuffle =
        RowFunction(name: "shuffle", sources: [4], targets: [4]) { s, t, width, height in
            let order: [UInt8] = [3, 0, 2, 1, 7, 4, 6, 5, 11, 8, 10, 9, 15, 12, 14, 13]
            return webimage_yuv_shuffle(s[0].start, s[0].stride, t[0].start, t[0].stride, order, width, height)
        } reference: {
            [[$0[0][3], $0[0][0], $0[0][2], $0[0][1]]]
        }

    private static func two(
        _ name: String,
        _ function:
            @escaping @Sendable (
                UnsafePointer<UInt8>?, Int32, UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32, Int32,
                Int32
            ) -> Int32,
        _ reference: @escaping @Sendable (UInt8, UInt8) -> UInt8
    ) -> RowFunction {
        RowFunction(name: name, sources: [4, 4], targets: [4]) { s, t, width, height in
            function(s[0].start, s[0].stride, s[1].start, s[1].stride, t[0].start, t[0].stride, width, height)
        } reference: {
            [zip($0[0], $0[1]).map { reference($0, $1) }]
        }
    }

    /// Returns the BT.601 luma in full range.
    private static func luma(_ pixel: [UInt8]) -> UInt8 {
        let (red, green, blue) = (Int(pixel[0]), Int(pixel[1]), Int(pixel[2]))
        return UInt8((299 * red + 587 * green + 114 * blue + 500) / 1000)
    }

    private static func widened(_ value: Int, _ most: Int) -> UInt8 { UInt8((value * 255 + most / 2) / most) }
}
