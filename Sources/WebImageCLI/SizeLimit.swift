import WebImage

/// The value of `--size`. It is a box in pixels or a percentage of the picture's own size. Pictures are never enlarged.
enum SizeLimit: Sendable, Equatable {
    case box(width: Int?, height: Int?)
    case percent(Double)

    /// Parses `800x600`, `320` (a square), `320x`, `x240` or `50%`. Returns nil for other text.
    init?(_ text: String) {
        if text.hasSuffix("%") {
            guard let percent = Double(text.dropLast()), percent > 0, percent <= 100 else { return nil }
            self = .percent(percent)
            return
        }
        let words = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        let sides = words.map { Self.side($0) }
        switch (words.count, sides.first ?? nil, sides.last ?? nil) {
        case (1, let side?, _): self = .box(width: side, height: side)
        case (2, let width?, let height?): self = .box(width: width, height: height)
        case (2, let width?, nil) where words[1].isEmpty: self = .box(width: width, height: nil)
        case (2, nil, let height?) where words[0].isEmpty: self = .box(width: nil, height: height)
        default: return nil
        }
    }

    private static func side(_ text: Substring) -> Int? {
        guard let side = Int(text), (1...1_000_000).contains(side), text.first?.isNumber == true else { return nil }
        return side
    }

    /// Returns the size in pixels to which a picture is scaled: the largest size in the box with the picture's aspect
    /// ratio. A side that does not fill the box is rounded to the nearest pixel. A side without a limit follows the other one.
    ///
    /// - Parameters:
    ///   - size: The size of the picture after orientation.
    ///   - isVector: Whether the picture is also enlarged to the box.
    func target(for size: PixelSize, isVector: Bool) -> PixelSize {
        switch self {
        case .box(let width, let height):
            let box = PixelSize(width: width ?? Self.unlimited, height: height ?? Self.unlimited)
            guard isVector || box.width < size.width || box.height < size.height else { return size }
            guard Double(box.width) * Double(size.height) <= Double(box.height) * Double(size.width) else {
                let width = ImageScaling.nearest(size.width, scaledFrom: size.height, to: box.height)
                return PixelSize(width: min(width, box.width), height: box.height)
            }
            let height = ImageScaling.nearest(size.height, scaledFrom: size.width, to: box.width)
            return PixelSize(width: box.width, height: min(height, box.height))
        case .percent(let percent):
            func part(_ side: Int) -> Int { max(1, Int((Double(side) * percent / 100).rounded())) }
            return PixelSize(width: part(size.width), height: part(size.height))
        }
    }

    /// More than any side of a picture whose other side has at most a million pixels.
    private static let unlimited = 1_000_000_000_000_000
}
