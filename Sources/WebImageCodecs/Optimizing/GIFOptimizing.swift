import CWebImageCodecShim
import Foundation
import WebImageCore

/// Compresses the frames of a GIF file again. Rectangles, palettes and disposals of the frames stay as they are.
struct GIFOptimizing {
    let optimizer: LosslessOptimizer
    let data: Data

    /// A file that would become less than this part smaller is not written.
    private static let leastGain = 0.01

    func outcome() throws(WebImageError) -> LosslessOptimizer.Outcome {
        let limits = optimizer.limits
        let new: Data? = try data.withFileBytes { bytes throws(WebImageError) in
            let gif = try GIFStructure(bytes, limits: limits)
            guard gif.isComplete, gif.completeFrameCount == gif.frames.count, !gif.frames.isEmpty else {
                throw .badData("GIF", "the file is cut off or damaged", hint: "The file was not changed.")
            }
            return try file(bytes, gif)
        }
        guard let new, new.count < data.count else { return .kept("no smaller form was found") }
        guard optimizer.keepsMetadata == false || Double(data.count - new.count) >= Self.leastGain * Double(data.count)
        else { return .kept("only \(data.count - new.count) B would be saved") }
        try optimizer.check(new, shows: data, by: ImageGIFCoder.self, as: .rgba8)
        return .smaller(new, note: nil)
    }

    private func file(_ bytes: UnsafeRawBufferPointer, _ gif: GIFStructure) throws(WebImageError) -> Data {
        var result = Data(capacity: bytes.count)
        var walk = ChunkWalk(optimizer.limits)
        var offset = GIFStructure.headerLength + (gif.palette?.byteCount ?? 0)
        result.append(data.slice(0..<offset))
        var frames = gif.frames[...]
        while let introducer = bytes.byte(at: offset) {
            var end = offset + 1
            switch introducer {
            case 0x2C:
                guard let frame = frames.popFirst() else { throw LosslessOptimizer.differs }
                result.append(data.slice(offset..<frame.data.lowerBound))
                result.append(try compressed(frame, bytes))
                end = frame.data.upperBound
            case 0x21:
                guard let blocks = try GIFStructure.endOfBlocks(bytes, from: offset + 2, walk: &walk) else {
                    throw LosslessOptimizer.differs
                }
                end = blocks
                if optimizer.keepsMetadata || isShown(bytes, at: offset) { result.append(data.slice(offset..<end)) }
            case 0x3B:
                result.append(0x3B)
                // Bytes behind the trailer are no part of the picture.
                if optimizer.keepsMetadata { result.append(data.slice(end..<bytes.count)) }
                return result
            default: break
            }
            offset = end
        }
        throw LosslessOptimizer.differs
    }

    /// Whether an extension changes how the file is shown: every one but comments and the data of other programs.
    private func isShown(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        let names: [StaticString] = ["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"]
        switch bytes.byte(at: offset + 1) {
        case 0xFE: return false
        case 0xFF: return names.contains { bytes.has($0, at: offset + 3) }
        default: return true
        }
    }

    /// Returns the smallest data of a frame, with its code size and its terminator.
    private func compressed(_ frame: GIFFrame, _ bytes: UnsafeRawBufferPointer) throws(WebImageError) -> Data {
        let own = Data(data.slice(frame.data))
        let count = frame.size.width * frame.size.height
        try optimizer.limits.checkPixels(frame.size)
        guard count > 0 else { return own }
        let source = UnsafeRawBufferPointer(rebasing: bytes[frame.data])
        guard let decoder = cgif_indices_create(source.bindMemory(to: UInt8.self).baseAddress, source.count, count)
        else {
            throw .badData("GIF", "a frame has an invalid code size", hint: "The file was not changed.")
        }
        defer { cgif_indices_destroy(decoder) }
        var indices: UnsafePointer<UInt8>?
        guard cgif_indices_next(decoder, count, &indices) == count, let indices else {
            throw .badData("GIF", "a frame's data ends too early", hint: "The file was not changed.")
        }
        var best = own
        for window in optimizer.effort < 4 ? Self.windows.prefix(2) : Self.windows[...] {
            try WorkBudget.checkCurrent()
            var made: UnsafeMutablePointer<UInt8>?
            var madeCount = 0
            guard cgif_compress(indices, count, window, &made, &madeCount), let made else {
                throw .cannotEncode("GIF", "out of memory")
            }
            let file = Data(bytesNoCopy: made, count: madeCount, deallocator: .free)
            if file.count < best.count { best = file }
        }
        return best
    }

    /// The ways of ``cgif_compress`` that are tried.
    private static let windows: [UInt32] = [0, 1024, 128, 256, 512, 2048, 4096, .max / 64]
}
