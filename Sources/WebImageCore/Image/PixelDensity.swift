/// How many pixels a file prints on one inch of paper.
///
/// The density changes no pixel. Programs for print and layout compute the size on paper from it.
public struct PixelDensity: Sendable, Hashable {
    /// The pixels on one inch from left to right, from 1 to 65,535.
    public let horizontal: Double
    /// The pixels on one inch from top to bottom, from 1 to 65,535.
    public let vertical: Double

    /// Creates a density. Nil if a number is outside of 1 to 65,535.
    public init?(horizontal: Double, vertical: Double) {
        let range = 1.0...65_535
        guard range.contains(horizontal), range.contains(vertical) else { return nil }
        (self.horizontal, self.vertical) = (horizontal, vertical)
    }

    /// Creates the density that a TIFF directory declares (TIFF 6.0 §8). Nil if it declares none.
    package init?(_ tags: [Int: ImageProperties.Value]) {
        let unit = tags[0x0128].map { $0.number ?? 0 } ?? 2
        guard let horizontal = tags[0x011A]?.number, let vertical = tags[0x011B]?.number ?? tags[0x011A]?.number,
            let scale = [2: 1, 3: 2.54][unit]
        else { return nil }
        self.init(horizontal: horizontal * scale, vertical: vertical * scale)
    }

    /// The density of an upright picture whose stored pixels have this density.
    package func turned(by orientation: ImageOrientation) -> PixelDensity {
        orientation.swapsSides ? PixelDensity(horizontal: vertical, vertical: horizontal) ?? self : self
    }
}
