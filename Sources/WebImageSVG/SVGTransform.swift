import Foundation

/// The largest and the smallest factor by which a transform scales lengths.
struct SVGScale {
    var largest = 1.0
    var smallest = 1.0

    var isIdentity: Bool { largest == 1 && smallest == 1 }

    static func * (one: SVGScale, other: SVGScale) -> SVGScale {
        SVGScale(largest: one.largest * other.largest, smallest: one.smallest * other.smallest)
    }

    init(largest: Double = 1, smallest: Double = 1) {
        self.largest = largest
        self.smallest = smallest
    }

    /// Reads a list of transforms such as `translate(1 2) scale(3)`. Functions that cannot be read change nothing.
    init(transform: String) {
        self.init()
        for part in transform.split(separator: ")") {
            guard let open = part.firstIndex(of: "(") else { continue }
            let name = part[..<open].filter { $0.isLetter }.lowercased()
            let values = SVGLength.numbers(part[part.index(after: open)...])
            self = self * Self.scale(name, values)
        }
    }

    private static func scale(_ name: String, _ values: [Double]) -> SVGScale {
        switch (name, values.count) {
        case ("scale", 1...):
            let (x, y) = (abs(values[0]), abs(values.count > 1 ? values[1] : values[0]))
            return SVGScale(largest: max(x, y), smallest: min(x, y))
        case ("scalex", 1...), ("scaley", 1...):
            return SVGScale(largest: max(abs(values[0]), 1), smallest: min(abs(values[0]), 1))
        case ("matrix", 6...): return singularValues(values[0], values[1], values[2], values[3])
        case ("skewx", 1...), ("skewy", 1...), ("skew", 1...):
            return singularValues(1, 0, tan(values[0] * .pi / 180), 1)
        default: return SVGScale()
        }
    }

    private static func singularValues(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> SVGScale {
        let mean = (a * a + b * b + c * c + d * d) / 2
        let half = (a * a + b * b - c * c - d * d) / 2
        let spread = (half * half + (a * c + b * d) * (a * c + b * d)).squareRoot()
        return SVGScale(largest: (mean + spread).squareRoot(), smallest: max(mean - spread, 0).squareRoot())
    }
}
