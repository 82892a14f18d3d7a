import WebImageCore

extension PixelBuffer {
    /// How many pixels are added on each side of a picture.
    struct Frame {
        let x: Int
        let y: Int
    }

    /// The frame that a tiny picture needs to be scaled to less than eight pixels, or nil.
    ///
    /// zimg mirrors a picture at its border. In a result of a few pixels this is visible, because most of what the filter
    /// reads is mirrored: the far edge appears beside the near one. With the nearest pixel repeated, the result is that of
    /// filters that omit what lies outside. Pictures whose frame would have over 65,536 pixels have none.
    func tinyFrame(for region: PixelRegion, to target: PixelSize) -> Frame? {
        guard min(target.width, target.height) < 8, max(width, height) <= 64 else { return nil }
        func reach(_ length: Double, _ count: Int, from start: Double, of side: Int) -> Int {
            let reach = 3 * max(length / Double(count), 1)
            return max(Int(max(reach - start, start + length + reach - Double(side)).rounded(.up)), 0)
        }
        let frame = Frame(
            x: reach(region.width, target.width, from: region.left, of: width),
            y: reach(region.height, target.height, from: region.top, of: height))
        let area = (width + 2 * frame.x) * (height + 2 * frame.y)
        return frame.x + frame.y > 0 && area <= 65536 ? frame : nil
    }

    /// The picture inside a frame that repeats the nearest pixel.
    func continued(by frame: Frame) throws(WebImageError) -> PixelBuffer {
        let result = try PixelBuffer(width: width + 2 * frame.x, height: height + 2 * frame.y, format: format)
        let bytes = format.bytesPerPixel
        for row in 0..<result.height {
            let source = baseAddress + min(max(row - frame.y, 0), height - 1) * bytesPerRow
            let target = result.baseAddress + row * result.bytesPerRow
            for column in 0..<result.width {
                let nearest = min(max(column - frame.x, 0), width - 1)
                (target + column * bytes).copyMemory(from: source + nearest * bytes, byteCount: bytes)
            }
        }
        return result
    }
}
