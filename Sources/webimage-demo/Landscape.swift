import Foundation
import WebImage
import WebImageGraphics

/// A generated landscape. It has a sky above, hills below, a sun and a label, so that a wrong orientation is visible.
struct Landscape {
    let width: Int
    let height: Int
    let seed: Int
    let label: String
    /// Whether the sky is transparent. Set this property only for formats with transparency.
    var hasClearSky = false

    /// Draws the landscape in display format. The library of the drawing context fills the pixels, so that this is fast in
    /// a build for debugging as well.
    func image() throws(WebImageError) -> Image {
        var format = GraphicsImageRendererFormat()
        format.scale = 1
        format.opaque = !hasClearSky
        let renderer = GraphicsImageRenderer(size: CGSize(width: width, height: height), format: format)
        guard let image = renderer.image(draw) else { throw WebImageError(.outOfMemory, stage: .decode) }
        return image
    }

    private func draw(_ context: GraphicsContext) {
        let canvas = CGRect(x: 0, y: 0, width: width, height: height)
        if !hasClearSky {
            let (top, horizon) = (Self.color(palette.sky[0]), Self.color(palette.sky[1]))
            context.draw(ImageGradient(stops: [.init(top, at: 0), .init(horizon, at: 0.6)]), in: canvas)
        }
        drawSun(context)
        for layer in 0..<4 { drawHill(layer, context) }
        drawLabel(context)
    }

    private func drawSun(_ context: GraphicsContext) {
        let radius = Double(min(width, height)) * 0.09
        let center = CGPoint(x: Double(width) * (0.25 + 0.1 * Double(seed % 6)), y: Double(height) * 0.26)
        func disc(_ radius: Double) {
            context.fillEllipse(
                in: CGRect(x: center.x - radius, y: center.y - radius, width: 2 * radius, height: 2 * radius))
        }
        if !hasClearSky {
            context.fillColor = Self.color(0xFFF3C4, alpha: 0.03)
            for ring in 1...12 { disc(radius * (4 - 0.25 * Double(ring))) }
        }
        context.fillColor = Self.color(0xFFF3C4)
        disc(radius)
    }

    private func drawHill(_ layer: Int, _ context: GraphicsContext) {
        var path = GraphicsPath()
        path.move(to: CGPoint(x: 0, y: height))
        var top = Double(height)
        for x in stride(from: 0, through: width, by: max(1, width / 400)) {
            let y = ridge(layer, at: x)
            top = min(top, y)
            path.addLine(to: CGPoint(x: Double(x), y: y))
        }
        path.addLine(to: CGPoint(x: Double(width), y: ridge(layer, at: width)))
        path.addLine(to: CGPoint(x: width, y: height))
        path.closeSubpath()
        // The deeper below the ridge, the darker.
        let depth = (Double(height) - top) / Double(height)
        let colors = [Self.color(palette.hill[layer]), Self.color(palette.hill[layer], light: 1 - 0.6 * depth)]
        context.withGState {
            context.clip(to: path)
            context.draw(
                ImageGradient(colors: colors),
                in: CGRect(x: 0, y: top, width: Double(width), height: Double(height) - top))
        }
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

    /// The height of a hill's ridge in pixels from the top.
    private func ridge(_ layer: Int, at x: Int) -> Double {
        let position = Double(x) / Double(width)
        let phase = Double(seed * 7 + layer * 13)
        let wave =
            wobble(position * Double(3 + layer) + phase) * 0.5 + wobble(position * Double(9 + layer * 2) + phase * 1.7)
            * 0.2
        return Double(height) * (0.48 + 0.13 * Double(layer) + 0.12 * wave)
    }

    /// Returns the value of a smooth curve between -1 and 1. The curve is a parabola in each half period and uses no
    /// functions of the mathematics library.
    private func wobble(_ value: Double) -> Double {
        let turn = value - value.rounded(.down)
        let half = turn < 0.5 ? turn * 2 : turn * 2 - 1
        let arch = 4 * half * (1 - half)
        return turn < 0.5 ? arch : -arch
    }

    /// Returns the colour of a number 0xRRGGBB.
    private static func color(_ number: UInt32, light: Double = 1, alpha: Double = 1) -> ImageColor {
        func channel(_ shift: UInt32) -> Double { Double(number >> shift & 0xFF) / 255 * light }
        return ImageColor(red: channel(16), green: channel(8), blue: channel(0), alpha: alpha)
    }

    private func drawLabel(_ context: GraphicsContext) {
        let unit = max(1, min(width, height) / 60)
        // The edge keeps the label legible on a transparent sky, which a light page shows white.
        for (color, edge) in [(Self.color(0x1B2838), (unit + 1) / 2), (Self.color(0xFFFFFF), 0)] {
            context.fillColor = color
            for (number, character) in label.enumerated() {
                for (line, row) in (Self.font[character] ?? []).enumerated() {
                    for (column, cell) in row.enumerated() where cell == "#" {
                        let (left, top) = ((3 + 5 * number + column) * unit, (3 + line) * unit)
                        context.fill(
                            CGRect(x: left, y: top, width: unit, height: unit)
                                .insetBy(dx: -Double(edge), dy: -Double(edge)))
                    }
                }
            }
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
