import Foundation
import WebImageCore

/// The numbers of coded pictures that libavif decodes for the primary picture of a file. The coded pictures are the
/// tiles of the primary picture and the tiles of its alpha planes.
///
/// These numbers are needed to limit the memory of a decode. libavif decodes all tiles of a grid before it checks
/// whether the canvas needs them. Example: a file of 9 KB has a canvas of 1024×1024 px and 200 tiles. Each tile has
/// 1024×1024 px. Decoding this file takes 800 MB.
struct AVIFTiles {
    /// The number of tiles of the primary picture. 1 if the primary picture is not a grid.
    private var colors = 1
    /// The number of tiles of each auxiliary picture. The type of an auxiliary picture is not read, so a depth map also
    /// counts as an alpha plane.
    private var alphas: [Int] = []

    /// Counts the tiles that the boxes of a file declare.
    ///
    /// - Throws: `.badImageData` if the boxes cannot be read.
    init(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        let file = HEIFBoxReader(bytes)
        var primary: Set<Int> = []
        var references: [(type: String, from: Int, to: [Int])] = []
        for meta in try file.boxes(in: 0..<bytes.count) where meta.type == "meta" {
            for box in try file.boxes(in: file.rest(of: meta.content, after: 4)) {
                switch box.type {
                case "pitm":
                    let width = try file.version(of: box) == 0 ? 2 : 4
                    primary.insert(try file.number(at: box.content.lowerBound + 4, bytes: width, in: box))
                case "iref":
                    let width = try file.version(of: box) == 0 ? 2 : 4
                    for reference in try file.boxes(in: file.rest(of: box.content, after: 4)) {
                        references.append(try Self.reference(reference, numberBytes: width, file))
                    }
                default: break
                }
            }
        }
        // A reference `dimg` goes from a grid to its tiles, and `auxl` from an auxiliary picture to the picture that it
        // belongs to. A damaged file can repeat `pitm` and name several primary pictures. The largest grid of them gives
        // the lowest limit of pixels, whichever of them libavif decodes.
        var counts: [Int: Int] = [:]
        for reference in references where reference.type == "dimg" {
            counts[reference.from, default: 0] += reference.to.count
        }
        colors = max(1, primary.compactMap { counts[$0] }.max() ?? 1)
        for reference in references where reference.type == "auxl" && !primary.isDisjoint(with: reference.to) {
            alphas.append(max(1, counts[reference.from] ?? 1))
        }
    }

    /// Reads one reference of `iref`: its type, the item that it goes from, and the items that it goes to.
    ///
    /// - Parameter numberBytes: The size of an item's number in bytes, which depends on the version of `iref`.
    private static func reference(
        _ box: HEIFBoxReader.Box, numberBytes: Int, _ file: HEIFBoxReader
    ) throws(WebImageError) -> (type: String, from: Int, to: [Int]) {
        let start = box.content.lowerBound
        let from = try file.number(at: start, bytes: numberBytes, in: box)
        let count = try file.number(at: start + numberBytes, bytes: 2, in: box)
        var to: [Int] = []
        for index in 0..<count {
            let place = start + numberBytes + 2 + index * numberBytes
            to.append(try file.number(at: place, bytes: numberBytes, in: box))
        }
        return (box.type, from, to)
    }

    /// Returns the maximum number of pixels of each coded picture.
    ///
    /// The tiles of a grid cover its canvas, and each tile begins inside the canvas (ISO/IEC 23000-22 §7.3.11.4.2).
    /// Therefore all tiles of the grid together have less than four times the pixels of the canvas. A tile has at least
    /// 64 rows and 64 columns, so a side of the canvas counts as at least 64 px.
    /// - Throws: `.limitExceeded` if all coded pictures of this size together would have more than 32 times the pixels
    ///   of the canvas.
    func pixelLimit(canvas: PixelSize) throws(WebImageError) -> Int {
        let pixels = PixelSize(width: max(canvas.width, 64), height: max(canvas.height, 64)).pixelCount
        let each = max(1, pixels * 4 / alphas.reduce(colors) { min($0, $1) })
        // Each tile can have its own alpha plane, so count at least one alpha picture for each tile.
        let count = colors + alphas.reduce(colors) { max($0, $1) }
        let (sum, overflow) = each.multipliedReportingOverflow(by: count)
        guard !overflow, sum <= pixels * 32 else {
            throw .limit(.pixels, actual: overflow ? .max : sum, allowed: pixels * 32)
        }
        return each
    }
}
