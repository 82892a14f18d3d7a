package import Foundation

/// A raw file of a camera (DNG 1.4) whose sensor has the colours of sRGB, so that its developed picture is known.
package struct DNGFile {
    package let width: Int
    package let height: Int
    /// The EXIF orientation, 1 to 8.
    package var orientation = 1
    /// The first red sample: column and row 0 or 1. The others follow from it: red and green, then green and blue.
    package var patternOrigin = (x: 0, y: 0)
    /// The columns and rows of the sensor that the picture has; nil for all.
    package var activeArea: (columns: Range<Int>, rows: Range<Int>)?
    /// A JPEG picture of the same part.
    package var preview: Data?
    /// The red, green and blue of each pixel in linear light, 0 to 1.
    private let color: (_ x: Int, _ y: Int) -> (Double, Double, Double)

    package init(width: Int, height: Int, color: @escaping (_ x: Int, _ y: Int) -> (Double, Double, Double)) {
        (self.width, self.height, self.color) = (width, height, color)
    }

    /// The file. With a preview, the first directory is that of the preview, as cameras write it.
    package var data: Data {
        var samples = Data(capacity: width * height * 2)
        for y in 0..<height {
            for x in 0..<width {
                let (red, green, blue) = color(x, y)
                let light = [red, green, green, blue][pattern(x, y)]
                let value = UInt16(min(max(light, 0), 1) * 65535)
                samples.append(contentsOf: [UInt8(value & 255), UInt8(value >> 8)])
            }
        }
        var file = TIFFBytes(isBigEndian: false)
        let start = file.append(samples)
        let place = preview.map { file.append($0) }
        addSensor(to: &file, at: start, isFirst: preview == nil)
        if let preview, let place {
            let sensor = file.endDirectory()
            file.add(254, longs: [1])
            file.add(259, shorts: [7])
            file.add(262, shorts: [6])
            file.add(273, longs: [place])
            file.add(277, shorts: [3])
            file.add(279, longs: [preview.count])
            file.add(330, longs: [sensor])
            addSize(to: &file, bits: [8, 8, 8])
        }
        addCamera(to: &file)
        return file.finished()
    }

    /// The place of a sample in its group: red, green, green, blue.
    private func pattern(_ x: Int, _ y: Int) -> Int { (y + patternOrigin.y) % 2 * 2 + (x + patternOrigin.x) % 2 }

    private func addSize(to file: inout TIFFBytes, bits: [Int]) {
        file.add(256, longs: [width])
        file.add(257, longs: [height])
        file.add(258, shorts: bits)
        file.add(278, longs: [height])
        file.add(284, shorts: [1])
    }

    private func addSensor(to file: inout TIFFBytes, at start: Int, isFirst: Bool) {
        file.add(254, longs: [0])
        file.add(259, shorts: [1])
        file.add(262, shorts: [32803])
        file.add(273, longs: [start])
        file.add(277, shorts: [1])
        file.add(279, longs: [width * height * 2])
        addSize(to: &file, bits: [16])
        file.add(33421, shorts: [2, 2])
        file.add(
            33422,
            octets: [(0, 0), (1, 0), (0, 1), (1, 1)].map { x, y in [0, 1, 1, 2][pattern(x, y)] })
        file.add(50714, shorts: [0])
        file.add(50717, longs: [65535])
        if let (columns, rows) = activeArea {
            file.add(50829, longs: [rows.lowerBound, columns.lowerBound, rows.upperBound, columns.upperBound])
        }
    }

    private func addCamera(to file: inout TIFFBytes) {
        file.add(271, text: "Maker")
        file.add(272, text: "Model")
        file.add(274, shorts: [orientation])
        file.add(50706, octets: [1, 4, 0, 0])
        file.add(50708, text: "Maker Model")
        // From XYZ to the colours of sRGB (IEC 61966-2-1), for daylight D65, with a white that is neutral.
        file.add(
            50721,
            fractions: [3.2405, -1.5371, -0.4985, -0.9693, 1.8760, 0.0416, 0.0556, -0.2040, 1.0572])
        file.add(50728, fractions: [1, 1, 1])
        file.add(50778, shorts: [21])
    }
}
