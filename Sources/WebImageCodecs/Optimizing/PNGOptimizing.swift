import CWebImageCodecShim
import Foundation
import WebImageCore

/// Writes the pixels of a PNG or APNG file again: with better filters and compression, and in a form with fewer bits.
struct PNGOptimizing {
    private let optimizer: LosslessOptimizer
    private let data: Data
    private let chunks: PNGChunks
    private let all: [Chunk]

    /// The largest picture whose rows are compressed as a whole.
    private static let largestByteCount = 512 << 20

    /// A chunk of the file, and the bytes behind the last chunk.
    private struct Chunk {
        var tag: FourCC
        var payload: Range<Int>

        var whole: Range<Int> { payload.lowerBound - 8..<payload.upperBound + 4 }
        /// Whether the chunk is not in this list of ancillary chunks, but viewers need it.
        var isCritical: Bool { tag.rawValue >> 29 & 1 == 0 }
        /// Whether programs that do not know the chunk may copy it if they change other chunks.
        var isSafeToCopy: Bool { tag.rawValue >> 5 & 1 == 1 }
    }

    /// The header, palette and pixels that replace those of the file.
    private struct Form {
        var header: Data
        /// Whether the palette and the transparency are replaced as well. Otherwise the file's chunks stay.
        var replacesPalette = false
        var palette: Data?
        var transparency: Data?
        /// The compressed pixels of the default image, or of each frame.
        var streams: [Data]
    }

    init(_ optimizer: LosslessOptimizer, _ data: Data) throws(WebImageError) {
        self.optimizer = optimizer
        self.data = data
        (chunks, all) = try data.withFileBytes { bytes throws(WebImageError) in
            let chunks = try PNGChunks(bytes, limits: optimizer.limits)
            var (all, offset) = ([Chunk](), PNGChunks.signatureLength)
            var walk = ChunkWalk(optimizer.limits)
            while all.last?.tag != "IEND", let length = bytes.bigEndian32(at: offset),
                let tag = bytes.tag(at: offset + 4), let payload = bytes.range(at: offset + 8, count: length)
            {
                try walk.keep("PNG")
                all.append(Chunk(tag: tag, payload: payload))
                offset = payload.upperBound + 4
            }
            return (chunks, all)
        }
    }

    func outcome() throws(WebImageError) -> LosslessOptimizer.Outcome {
        guard chunks.isComplete else {
            throw .badData("PNG", "the file ends before its last chunk", hint: "The file was not changed.")
        }
        let known: [FourCC] = ["IHDR", "PLTE", "IDAT", "IEND"]
        if let unknown = all.first(where: { $0.isCritical && !known.contains($0.tag) }) {
            return .kept("it has a chunk \(unknown.tag.text), which other programs do not read")
        }
        if chunks.isTransparencyMisplaced { return .kept("its chunks have an order that decoders read differently") }
        let best =
            try chunks.animation == nil ? stillForms().map(file).min { $0.count < $1.count } : animatedForm().map(file)
        guard let best else { return .kept("its frames are in a form that is not optimised") }
        guard best.count < data.count else { return .kept("no smaller form was found") }
        try optimizer.check(
            best, shows: data, by: ImagePNGCoder.self, as: chunks.header.bitDepth == 16 ? .rgba16 : .rgba8)
        return .smaller(best, note: nil)
    }

    // MARK: Stills

    private func stillForms() throws(WebImageError) -> [Form] {
        let stream = chunks.imageData.reduce(into: Data()) { $0.append(data.slice($1)) }
        var forms = [Form(header: ownHeader, streams: [stream])]
        let (form, depth) = try storedForm()
        guard let form else { return forms }
        forms.append(form)
        if mayChangeForm, depth <= 8, chunks.orientation(in: data) == .up, let reduced = try reducedForm() {
            forms.append(reduced)
        }
        return forms
    }

    /// Whether the colour type may change. Some chunks refer to it.
    private var mayChangeForm: Bool {
        let dependent: [FourCC] = ["bKGD", "hIST", "sBIT"]
        return !optimizer.keepsMetadata
            || all.allSatisfy {
                !dependent.contains($0.tag) && ($0.isCritical || Self.known.contains($0.tag) || $0.isSafeToCopy)
            }
    }

    /// The file's own rows, without samples that hold nothing. Also returns the bits of a sample. Nil if the picture is too
    /// large.
    private func storedForm() throws(WebImageError) -> (Form?, depth: Int) {
        let header = chunks.header
        let rows = try StoredRows.read(data, limits: optimizer.limits, atMost: Self.largestByteCount)
        guard let rows else { return (nil, header.bitDepth) }
        var form = CPNGForm(color: Int32(header.colorType), depth: Int32(header.bitDepth))
        let mayNarrow = mayChangeForm && chunks.transparency == nil
        let mayBeGray = chunks.iccProfile == nil && chunks.colors?.codes == nil && chunks.colors?.measured == nil
        let isNarrowed =
            mayNarrow
            && cpng_narrow_rows(
                rows.start, rows.stride, UInt32(header.size.width), UInt32(header.size.height), mayBeGray, &form)
        let stream = try rows.compressed(form, width: header.size.width, effort: optimizer.effort)
        var payload = ownHeader
        payload[8] = UInt8(form.depth)
        payload[9] = UInt8(form.color)
        payload[12] = 0
        // A palette of a picture without one is only a suggestion, and not allowed with grey.
        return (Form(header: payload, replacesPalette: isNarrowed, streams: [stream]), depth: Int(form.depth))
    }

    /// The payload of `IHDR`.
    private var ownHeader: Data { Data(data.slice(PNGChunks.signatureLength + 8..<PNGChunks.signatureLength + 21)) }

    /// The picture with a palette, or as grey with few bits. Nil if the writer finds no such form.
    private func reducedForm() throws(WebImageError) -> Form? {
        var options = DecodingOptions()
        options.limits = optimizer.limits
        options.pixelFormat = .rgba8
        options.colorConversion = .asStored
        let image = try ImagePNGCoder.shared.decode(data, options: options)
        var encoding = EncodingOptions()
        encoding.effort = optimizer.effort
        let made = try ImagePNGCoder.shared.encode(image, format: .png, options: encoding)
        let found = try PNGOptimizing(optimizer, made)
        guard found.chunks.header.colorType != 6, found.chunks.header.bitDepth <= 8 else { return nil }
        return Form(
            header: found.ownHeader, replacesPalette: true, palette: found.chunks.palette.map { Data(made.slice($0)) },
            transparency: found.chunks.transparency.map { Data(made.slice($0)) },
            streams: [found.chunks.imageData.reduce(into: Data()) { $0.append(made.slice($1)) }])
    }

    // MARK: Animations

    /// Compresses each frame again in the file's form. Nil if the frames are interlaced.
    private func animatedForm() throws(WebImageError) -> Form? {
        guard !chunks.header.isInterlaced, let animation = chunks.animation,
            animation.frames.count == animation.declaredFrameCount,
            animation.playableFrames(on: chunks.header.size).count == animation.frames.count
        else { return nil }
        let form = CPNGForm(color: Int32(chunks.header.colorType), depth: Int32(chunks.header.bitDepth))
        var streams: [Data] = []
        // The default image comes first, even if it is no frame.
        var pictures: [(PixelSize, [Range<Int>])] = [(chunks.header.size, chunks.imageData)]
        for frame in animation.frames where !frame.isDefaultImage {
            pictures.append((frame.size, frame.data.map { $0.dropFirst(4) }))
        }
        for (size, payloads) in pictures {
            let stream = payloads.reduce(into: Data()) { $0.append(data.slice($1)) }
            var picture = PNGChunkWriter(capacity: stream.count + 2048)
            let sides = [size.width, size.height].flatMap { PNGChunkWriter.bigEndian(UInt32(clamping: $0)) }
            picture.append("IHDR", sides + ownHeader.dropFirst(8))
            if let palette = chunks.palette { picture.append("PLTE", Array(data.slice(palette))) }
            stream.withUnsafeBytes { picture.append("IDAT", payload: $0) }
            picture.append("IEND", [])
            let rows = try StoredRows.read(picture.data, limits: optimizer.limits, atMost: Self.largestByteCount)
            guard let rows else { return nil }
            let smaller = try rows.compressed(form, width: size.width, effort: optimizer.effort)
            streams.append(smaller.count < stream.count ? smaller : stream)
        }
        return Form(header: ownHeader, streams: streams)
    }

    // MARK: The file

    /// Ancillary chunks whose meaning does not depend on the colour type.
    private static let known: [FourCC] = [
        "cHRM", "gAMA", "iCCP", "sRGB", "cICP", "mDCV", "cLLI", "pHYs", "sPLT", "tIME", "iTXt", "tEXt", "zTXt", "eXIf",
        "acTL", "fcTL", "fdAT", "tRNS", "mDCv", "cLLi",
    ]
    /// Ancillary chunks that change how a picture is shown.
    private static let shown: [FourCC] = [
        "cHRM", "gAMA", "iCCP", "sRGB", "cICP", "mDCV", "cLLI", "mDCv", "cLLi", "pHYs", "acTL", "fcTL", "fdAT", "tRNS",
    ]

    /// Returns the file with other pixel data. The other chunks keep their order.
    private func file(_ form: Form) -> Data {
        var result = PNGChunkWriter(capacity: data.count)
        var streams = form.streams[...]
        var (hasPixels, sequence) = (false, UInt32(0))
        // A frame can be in several `fdAT` chunks. They become one.
        var isFrameWritten = false
        for chunk in all {
            switch chunk.tag {
            case "IHDR": result.append("IHDR", Array(form.header))
            case "PLTE" where form.replacesPalette, "tRNS" where form.replacesPalette: break
            case "IDAT":
                guard !hasPixels, let stream = streams.popFirst() else { continue }
                hasPixels = true
                if !optimizer.keepsMetadata { appendOrientation(&result) }
                if let palette = form.palette { result.append("PLTE", Array(palette)) }
                if let transparency = form.transparency { result.append("tRNS", Array(transparency)) }
                stream.withUnsafeBytes { result.append("IDAT", payload: $0) }
            case "fcTL" where chunks.animation != nil:
                result.append("fcTL", PNGChunkWriter.bigEndian(sequence) + data.slice(chunk.payload).dropFirst(4))
                sequence += 1
                isFrameWritten = false
            case "fdAT" where chunks.animation != nil:
                guard !isFrameWritten, let stream = streams.popFirst() else { continue }
                isFrameWritten = true
                stream.withUnsafeBytes {
                    result.append("fdAT", prefix: PNGChunkWriter.bigEndian(sequence), payload: $0)
                }
                sequence += 1
            case "eXIf" where !optimizer.keepsMetadata: break
            default:
                guard optimizer.keepsMetadata || chunk.isCritical || Self.shown.contains(chunk.tag) else { continue }
                result.append(copying: data.slice(chunk.whole))
            }
        }
        guard optimizer.keepsMetadata, let end = all.last?.whole.upperBound else { return result.data }
        return result.data + data.dropFirst(end)
    }

    /// Appends the orientation, which viewers use, if the metadata that held it is dropped.
    private func appendOrientation(_ result: inout PNGChunkWriter) {
        var metadata = EmbeddedMetadata()
        metadata.orientation = chunks.orientation(in: data)
        guard let exif = metadata.exifWithOrientation else { return }
        result.append("eXIf", Array(exif))
    }
}
