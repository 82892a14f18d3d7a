import CWebImagePixelLoops
import Testing

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
