import Foundation
import WebImageCore
import WebImageGraphics

/// Decodes single frames of a GIF file for ``FrameCompositor``.
struct GIFAnimationSource: AnimationSource {
    private let data: Data
    private let gif: GIFStructure

    let framesAreMasks = true
    let mayLeaveRows = true

    static func open(_ data: Data, options: DecodingOptions) throws(WebImageError) -> OpenedAnimation {
        try options.limits.checkEncodedBytes(data.count)
        let gif = try data.withFileBytes { bytes throws(WebImageError) in
            try GIFStructure(bytes, limits: options.limits)
        }
        let frames = gif.frames.prefix(gif.completeFrameCount).map { AnimationFrame($0, in: gif.screen) }
        guard !frames.isEmpty else { throw ImageGIFCoder.noFrames }
        let animation = AnimationDecoder(
            plan: FrameDependencies(canvas: gif.screen, frames: frames),
            source: GIFAnimationSource(data: data, gif: gif),
            description: .init(format: .gif), options: options)
        return OpenedAnimation(data, animation, loopCount: gif.loopCount ?? 1, playCount: gif.playCount)
    }

    func draw(
        _ index: Int, onto canvas: PixelBuffer, x: Int, y: Int, isOver: Bool, deadline: DecodeDeadline
    ) throws(WebImageError) -> Bool {
        let frame = gif.frames[index]
        return try data.withFileBytes { bytes throws(WebImageError) in
            let colors = (frame.localPalette ?? gif.palette)?.colors(in: bytes)
            let palette = PaletteTable(
                rgb: colors ?? [], transparentIndex: frame.control.transparentIndex,
                format: canvas.format)
            return try GIFFrameReader(bytes, frame).draw(
                in: gif.screen, palette: palette, onto: canvas, x: x, y: y, isOver: isOver, deadline: deadline)
        }
    }
}

extension AnimationFrame {
    fileprivate init(_ frame: GIFFrame, in screen: PixelSize) {
        let visible = frame.visibleRect(in: screen)
        let disposal: Disposal =
            switch frame.control.disposal {
            case .unspecified, .none: .none
            case .background: .background
            case .previous: .previous
            }
        self.init(
            x: visible?.x ?? 0..<0, y: visible?.y ?? 0..<0, disposal: disposal, blend: .over,
            isOpaque: frame.control.transparentIndex == nil,
            delayMilliseconds: Double(frame.control.delayMilliseconds))
    }
}
