import WebImage

/// A generated landscape. It has a sky above, hills below, a sun and a label, so that a wrong orientation is visible.
struct Landscape {
    let width: Int
    let height: Int
    let seed: Int
    let label: String
    /// Whether the sky is transparent. Set this property only for formats with transparency.
    var hasClearSky = false

    /// Draws the landscape in display format.
    func image() throws(WebImageError) -> Image {
        let pixels = try PixelBuffer(width: width, height: height, format: .bgra8Premultiplied)
        let hills = (0..<4).map { layer in (0..<width).map { ridge(layer, at: $0) } }
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<height {
                let row = UnsafeMutableRawBufferPointer(
                    rebasing: bytes[y * pixels.bytesPerRow..<y * pixels.bytesPerRow + width * 4]
                ).bindMemory(to: UInt32.self)
                for x in 0..<width { row[x] = color(x, y, hills) }
            }
            draw(label, in: bytes, bytesPerRow: pixels.bytesPerRow)
        }
        return Image(pixels: pixels, hasAlpha: hasClearSky)
    }

    private static let palettes: [(sky: [UInt32], hill: [UInt32])] = [
        ([0x2B5A9E, 0xA9D2F0], [0x6E8FAF, 0x4F7B74, 0x3C6650, 0x28492F]),
        ([0x3A1C52, 0xF08A5D], [0x8C4A6B, 0x6A3459, 0x472345, 0x2A1630]),
        ([0x0B1D3A, 0x3F6C9B], [0x2E4A6B, 0x223A55, 0x182A40, 0x0E1A2B]),
        ([0xF2C14E, 0xFBE8C6], [0xD98E5F, 0xB8694A, 0x8E4B3A, 0x5F2F2A]),
        ([0x57A0A6, 0xE5F2E9], [0x8FBF9F, 0x68A57A, 0x45855B, 0x2A5E3D]),
        ([0x8093C9, 0xF5D9E0], [0xB9A3C9, 0x9180AE, 0x6A6190, 0x464470]),
    ]

    private var palette: (sky: [UInt32], hill: [UInt32]) { Self.palettes[seed % Self.palettes.count] }

    private func ridge(_ layer: Int, at x: Int) -> Int {
        let position = Double(x) / Double(width)
        let phase = Double(seed * 7 + layer * 13)
        let wave =
            wobble(position * Double(3 + layer) + phase) * 0.5 + wobble(position * Double(9 + layer * 2) + phase * 1.7)
            * 0.2
        return Int(Double(height) * (0.48 + 0.13 * Double(layer) + 0.12 * wave))
    }

    /// Returns the value of a smooth curve between -1 and 1. The curve is a parabola in each half period and uses no
    /// functions of the mathematics library.
    private func wobble(_ value: Double) -> Double {
        let turn = value - value.rounded(.down)
        let half = turn < 0.5 ? turn * 2 : turn * 2 - 1
        let arch = 4 * half * (1 - half)
        return turn < 0.5 ? arch : -arch
    }

    private func color(_ x: Int, _ y: Int, _ hills: [[Int]]) -> UInt32 {
        for layer in hills.indices.reversed() where y >= hills[layer][x] {
            let depth = Double(y - hills[layer][x]) / Double(height)
            return Self.mix(palette.hill[layer], 0x000000, depth * 0.6)
        }
        let radius = Double(min(width, height)) * 0.09
        let (centerX, centerY) = (Double(width) * (0.25 + 0.1 * Double(seed % 6)), Double(height) * 0.26)
        let distance = ((Double(x) - centerX) * (Double(x) - centerX) + (Double(y) - centerY) * (Double(y) - centerY))
            .squareRoot()
        if distance < radius { return 0xFFFF_F3C4 }
        if hasClearSky { return 0 }
        let glow = max(0, 1 - (distance - radius) / (radius * 3)) * 0.35
        return Self.mix(
            Self.mix(palette.sky[0], palette.sky[1], Double(y) / (Double(height) * 0.6)), 0xFFF3C4, glow)
    }

    private static func mix(_ from: UInt32, _ to: UInt32, _ amount: Double) -> UInt32 {
        let amount = UInt32(min(max(amount, 0), 1) * 256)
        var result: UInt32 = 0xFF00_0000
        for shift: UInt32 in [0, 8, 16] {
            let value = ((from >> shift) & 0xFF) * (256 - amount) + ((to >> shift) & 0xFF) * amount
            result |= ((value >> 8) & 0xFF) << shift
        }
        return result
    }

    private func draw(_ text: String, in bytes: UnsafeMutableRawBufferPointer, bytesPerRow: Int) {
        let unit = max(1, min(width, height) / 60)
        var left = unit * 3
        for character in text {
            let rows = Self.font[character] ?? []
            for (line, row) in rows.enumerated() {
                for (column, cell) in row.enumerated() where cell == "#" {
                    for y in 0..<unit {
                        for x in 0..<unit {
                            let (targetX, targetY) = (left + column * unit + x, unit * 3 + line * unit + y)
                            guard targetX < width, targetY < height else { continue }
                            bytes.storeBytes(
                                of: 0xFFFF_FFFF, toByteOffset: targetY * bytesPerRow + targetX * 4, as: UInt32.self)
                        }
                    }
                }
            }
            left += unit * 5
        }
    }

    /// The glyphs. Each glyph is four cells wide and five cells high.
    private static let font: [Character: [String]] = [
        "0": [".##.", "#..#", "#..#", "#..#", ".##."], "1": ["..#.", ".##.", "..#.", "..#.", ".###"],
        "2": ["###.", "...#", ".##.", "#...", "####"], "3": ["###.", "...#", ".##.", "...#", "###."],
        "4": ["#..#", "#..#", "####", "...#", "...#"], "5": ["####", "#...", "###.", "...#", "###."],
        "6": [".##.", "#...", "###.", "#..#", ".##."], "7": ["####", "...#", "..#.", ".#..", ".#.."],
        "8": [".##.", "#..#", ".##.", "#..#", ".##."], "9": [".##.", "#..#", ".###", "...#", ".##."],
        "J": ["..##", "...#", "...#", "#..#", ".##."], "P": ["###.", "#..#", "###.", "#...", "#..."],
        "E": ["####", "#...", "###.", "#...", "####"], "G": [".###", "#...", "#.##", "#..#", ".###"],
        "N": ["#..#", "##.#", "#.##", "#..#", "#..#"], "I": [".###", "..#.", "..#.", "..#.", ".###"],
        "F": ["####", "#...", "###.", "#...", "#..."], "W": ["#..#", "#..#", "#..#", "####", "#..#"],
        "B": ["###.", "#..#", "###.", "#..#", "###."],
    ]
}
