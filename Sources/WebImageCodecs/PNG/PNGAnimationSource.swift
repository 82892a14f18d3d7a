import CWebImageCodecShim
import Foundation
import WebImageCore
import WebImageGraphics

/// Decodes single frames of an APNG file for ``FrameCompositor``.
struct PNGAnimationSource: AnimationSource {
    private let data: Data
    private let chunks: PNGChunks
    private let limits: DecodingLimits

    let framesAreMasks = false
    let mayLeaveRows = false

    static func open(_ data: Data, options: DecodingOptions) throws(WebImageError) -> OpenedAnimation {
        try options.limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let chunks = try PNGChunks(bytes, limits: options.limits)
            let source = PNGAnimationSource(data: data, chunks: chunks, limits: options.limits)
            let frames = source.wholeFrames(DecodeDeadline(options.limits))
            guard let animation = chunks.animation, !frames.isEmpty else {
                return OpenedAnimation(still: data, loopCount: 0) { () throws(WebImageError) in
                    try ImagePNGCoder().decode(data, options: options)
                }
            }
            let description = AnimationDecoder.Description(
                format: .png, orientation: chunks.orientation(in: data),
                profile: try chunks.profile(in: bytes, limits: options.limits), hasAlpha: chunks.hasAlpha,
                isDeep: chunks.header.bitDepth == 16)
            let decoder = AnimationDecoder(
                plan: FrameDependencies(
                    canvas: chunks.header.size, frames: frames.map { AnimationFrame($0, isOpaque: !chunks.hasAlpha) }),
                source: source, description: description,
                options: options.resolved(bitDepth: chunks.header.bitDepth, isHDR: chunks.hdr != nil))
            return OpenedAnimation(data, decoder, loopCount: animation.loopCount)
        }
    }

    func draw(
        _ index: Int, onto canvas: PixelBuffer, x: Int, y: Int, isOver: Bool, deadline: DecodeDeadline
    ) throws(WebImageError) -> Bool {
        guard let frame = chunks.animation?.frames[index] else { return false }
        return try data.withFileBytes { bytes throws(WebImageError) in
            // Decode the default image from the original file only if this file is complete. libpng requires the end of
            // a file. Therefore the default image of a truncated file is decoded from a rebuilt file.
            if frame.isDefaultImage, !chunks.isTransparencyMisplaced, chunks.isComplete {
                try decode(bytes, frame.size, onto: canvas, x: x, y: y, deadline, isFile: true)
            } else if try !drawWhole(bytes, frame, onto: canvas, x: x, y: y, deadline) {
                let file =
                    try frame.isDefaultImage
                    ? PNGFrameFile(reordering: bytes, chunks) : PNGFrameFile(bytes, chunks, frame: frame)
                try file.data.withFileBytes { bytes throws(WebImageError) in
                    try decode(bytes, frame.size, onto: canvas, x: x, y: y, deadline)
                }
            }
            return true
        }
    }

    /// Draws a frame with libdeflate, which is faster than libpng. Returns false if libpng must draw the frame.
    private func drawWhole(
        _ bytes: UnsafeRawBufferPointer, _ frame: PNGFrame, onto canvas: PixelBuffer, x: Int, y: Int,
        _ deadline: DecodeDeadline
    ) throws(WebImageError) -> Bool {
        guard !frame.isDefaultImage, chunks.canReadWhole(as: canvas.format) else { return false }
        var palette: PaletteTable?
        if chunks.header.isPalette {
            let reader = try PNGReader(bytes)
            try reader.readHeader(limits: limits)
            palette = reader.palette(canvas.format)
            guard palette != nil else { return false }
        }
        // In each `fdAT` payload, the data follows a sequence number of four bytes.
        guard
            let rows = PNGInflatedRows(
                bytes, chunks, .init(payloads: frame.data, skipping: 4, size: frame.size))
        else { return false }
        return try rows.draw(
            onto: canvas, x: x, y: y, premultiplies: multiplies(canvas), palette: palette, deadline: deadline)
    }

    private func multiplies(_ canvas: PixelBuffer) -> Bool { canvas.format.isPremultiplied && chunks.hasAlpha }

    private func decode(
        _ bytes: UnsafeRawBufferPointer, _ size: PixelSize, onto canvas: PixelBuffer, x: Int, y: Int,
        _ deadline: DecodeDeadline, isFile: Bool = false
    ) throws(WebImageError) {
        let reader = try PNGReader(bytes)
        try reader.readHeader(limits: limits)
        let multiplies = multiplies(canvas)
        let wasRead =
            try isFile
            ? chunks.drawWhole(
                bytes, reader, onto: canvas, x: x, y: y, premultiplies: multiplies, limits: limits,
                deadline: deadline) : false
        guard !wasRead else { return }
        let layout =
            switch canvas.format {
            case .bgra8Premultiplied: CPNG_BGRA8
            case .rgba16: CPNG_RGBA16
            default: CPNG_RGBA8
            }
        let target = PNGReader.Target(pixels: canvas, layout: layout, x: x, y: y, size: size)
        try reader.read(into: target, deadline: deadline) { rows in
            if multiplies { canvas.premultiplyInPlace(rows: rows, columns: x..<x + size.width) }
        }
    }

    /// Returns the frames before the first frame that cannot be played. The last frame of a truncated file can be
    /// incomplete. Therefore this function decodes this frame and omits it if it is incomplete.
    private func wholeFrames(_ deadline: DecodeDeadline) -> ArraySlice<PNGFrame> {
        guard let animation = chunks.animation else { return [] }
        let frames = animation.playableFrames(on: chunks.header.size)
        guard !chunks.isComplete, let last = frames.last, frames.endIndex == animation.frames.endIndex else {
            return frames
        }
        let isWhole = { () throws(WebImageError) -> Bool in
            let scratch = try PixelBuffer(width: last.size.width, height: last.size.height, format: .rgba8)
            return try draw(frames.endIndex - 1, onto: scratch, x: 0, y: 0, isOver: false, deadline: deadline)
        }
        return (try? isWhole()) == true ? frames : frames.dropLast()
    }
}

extension PNGAnimation {
    /// Returns the frames before the first invalid frame. The animation ends at the invalid frame, as in browsers. A
    /// frame is invalid if it is not inside the canvas or has no data. A default image is invalid as a frame if it does
    /// not have the canvas size.
    func playableFrames(on canvas: PixelSize) -> ArraySlice<PNGFrame> {
        frames.prefix { frame in
            frame.isInside(canvas) && (frame.isDefaultImage ? frame.size == canvas : !frame.data.isEmpty)
        }
    }
}

extension AnimationFrame {
    fileprivate init(_ frame: PNGFrame, isOpaque: Bool) {
        let disposal: Disposal =
            switch frame.disposal {
            case .none: .none
            case .background: .background
            case .previous: .previous
            }
        self.init(
            x: frame.x..<frame.x + frame.size.width, y: frame.y..<frame.y + frame.size.height, disposal: disposal,
            blend: frame.blend == .source ? .source : .over, isOpaque: isOpaque,
            delayMilliseconds: frame.delayMilliseconds)
    }
}
