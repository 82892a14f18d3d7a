import Foundation
import WebImageCore
import WebImageGraphics

/// Decodes single frames of an animated WebP file for ``FrameCompositor``.
struct WebPAnimationSource: AnimationSource {
    private let data: Data
    private let frames: [WebPFrame]

    let framesAreMasks = false
    let mayLeaveRows = false

    static func open(_ data: Data, options: DecodingOptions) throws(WebImageError) -> OpenedAnimation {
        try options.limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let webP = try WebPContainer(bytes, limits: options.limits)
            guard webP.isAnimated else {
                return OpenedAnimation(still: data, loopCount: 0) { () throws(WebImageError) in
                    try ImageWebPCoder().decode(data, options: options)
                }
            }
            var frames: [AnimationFrame] = []
            frames.reserveCapacity(webP.frames.count)
            // Stop at the first invalid frame, because later frames would be drawn on a wrong canvas.
            for stored in webP.frames {
                guard let frame = AnimationFrame(stored, in: webP.canvas, bytes) else { break }
                frames.append(frame)
            }
            guard !frames.isEmpty else { throw ImageWebPCoder.noFrames }
            let description = AnimationDecoder.Description(
                format: .webP, orientation: webP.orientation(in: data),
                profile: webP.iccProfile.map { ColorProfile(iccData: Data(data.slice($0))) }, hasAlpha: webP.hasAlpha)
            let animation = AnimationDecoder(
                plan: FrameDependencies(canvas: webP.canvas, frames: frames),
                source: WebPAnimationSource(data: data, frames: webP.frames), description: description,
                options: options)
            return OpenedAnimation(data, animation, loopCount: webP.loopCount ?? 0)
        }
    }

    func draw(
        _ index: Int, onto canvas: PixelBuffer, x: Int, y: Int, isOver: Bool, deadline: DecodeDeadline
    ) throws(WebImageError) -> Bool {
        try data.withFileBytes { bytes throws(WebImageError) in
            let bitstream = UnsafeRawBufferPointer(rebasing: bytes[frames[index].bitstream])
            let features = try WebPFeatures(bitstream)
            try WebPDecoding.decode(
                bitstream, into: .init(pixels: canvas, x: x, y: y, isOpaque: !features.hasAlpha))
            // Ignore stored alpha if the header of a lossless bitstream declares it as unused (RFC 9649 §3.4).
            if features.isLossless, !features.hasAlpha {
                try canvas.makeOpaque(
                    x: x..<x + features.size.width, y: y..<y + features.size.height)
            }
        }
        try deadline.check()
        return true
    }
}

extension AnimationFrame {
    /// Creates a frame. Returns nil if the frame is not inside the canvas, or if its declared size differs from the
    /// size in its bitstream.
    fileprivate init?(_ frame: WebPFrame, in canvas: PixelSize, _ bytes: UnsafeRawBufferPointer) {
        let bitstream = UnsafeRawBufferPointer(rebasing: bytes[frame.bitstream])
        guard let features = try? WebPFeatures(bitstream), features.size == frame.size,
            frame.x + frame.size.width <= canvas.width, frame.y + frame.size.height <= canvas.height
        else { return nil }
        self.init(
            x: frame.x..<frame.x + frame.size.width, y: frame.y..<frame.y + frame.size.height,
            disposal: frame.disposesToBackground ? .background : .none, blend: frame.isBlended ? .over : .source,
            isOpaque: !features.hasAlpha, delayMilliseconds: Double(frame.delayMilliseconds))
    }
}
