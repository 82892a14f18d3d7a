import CWebImageAVIF
import WebImageCore

/// The planes of an image whose samples of chroma lie on those of luma, moved to the middle between them.
///
/// libavif enlarges chroma of half the resolution as if each sample were in the middle of its pixels, also if the file says
/// that it lies on the left ones (`chroma_sample_position` of AV1, §6.4.2). Colours would be half a pixel too far to the
/// right, and with the position of the top left pixel also to the bottom.
struct AVIFChroma {
    private let planes: [PixelBuffer]

    /// - Returns: Nil if the samples are in the middle, or if their position is not known.
    init?(_ image: avifImage) throws(WebImageError) {
        let position = image.yuvChromaSamplePosition
        guard image.yuvFormat == AVIF_PIXEL_FORMAT_YUV420, position != AVIF_CHROMA_SAMPLE_POSITION_UNKNOWN,
            let blue = image.yuvPlanes.1, let red = image.yuvPlanes.2
        else { return nil }
        let size = PixelSize(width: (Int(image.width) + 1) / 2, height: (Int(image.height) + 1) / 2)
        var planes: [PixelBuffer] = []
        for (plane, stride) in [(blue, image.yuvRowBytes.1), (red, image.yuvRowBytes.2)] {
            let bytes = image.depth > 8 ? 2 : 1
            func moved(
                _ start: UnsafeRawPointer, _ stride: Int, down: Bool
            ) throws(WebImageError) -> PixelBuffer {
                let result = try PixelBuffer(width: size.width * bytes, height: size.height, format: .gray8)
                let highest = (1 << Int(image.depth)) - 1
                let call = Move(size: size, stride: stride, highest: highest, isDown: down)
                if bytes == 2 {
                    call.run(start.assumingMemoryBound(to: UInt16.self), to: result)
                } else {
                    call.run(start.assumingMemoryBound(to: UInt8.self), to: result)
                }
                return result
            }
            var result = try moved(plane, Int(stride), down: false)
            if position == AVIF_CHROMA_SAMPLE_POSITION_COLOCATED {
                result = try moved(result.baseAddress, result.bytesPerRow, down: true)
            }
            planes.append(result)
        }
        self.planes = planes
    }

    /// Calls `body` with a copy of the image that has the moved planes. The decoder's own planes must not be written: later
    /// frames of an animation refer to them.
    func withImage<Result>(_ image: avifImage, _ body: (UnsafePointer<avifImage>) -> Result) -> Result {
        var image = image
        image.yuvPlanes.1 = planes[0].baseAddress.assumingMemoryBound(to: UInt8.self)
        image.yuvPlanes.2 = planes[1].baseAddress.assumingMemoryBound(to: UInt8.self)
        image.yuvRowBytes.1 = UInt32(planes[0].bytesPerRow)
        image.yuvRowBytes.2 = UInt32(planes[1].bytesPerRow)
        return withUnsafePointer(to: &image) { body($0) }
    }

    /// Moves a plane by a quarter of a sample, to the left or up, by cubic interpolation (Catmull-Rom).
    private struct Move {
        let size: PixelSize
        /// The bytes from one row of the source to the next one.
        let stride: Int
        let highest: Int
        let isDown: Bool

        func run<Sample: FixedWidthInteger>(_ source: UnsafePointer<Sample>, to target: PixelBuffer) {
            let bytes = MemoryLayout<Sample>.size
            let rowStep = stride / bytes
            let (length, step) = isDown ? (size.height, rowStep) : (size.width, 1)
            for y in 0..<size.height {
                let line = (target.baseAddress + y * target.bytesPerRow).assumingMemoryBound(to: Sample.self)
                for x in 0..<size.width {
                    let place = isDown ? y : x
                    let start = isDown ? source + x : source + y * rowStep
                    func sample(_ offset: Int) -> Int {
                        Int(start[min(max(place + offset, 0), length - 1) * step])
                    }
                    let sum = 111 * sample(0) + 29 * sample(1) - 9 * sample(-1) - 3 * sample(2)
                    line[x] = Sample(min(max((sum + 64) >> 7, 0), highest))
                }
            }
        }
    }
}
