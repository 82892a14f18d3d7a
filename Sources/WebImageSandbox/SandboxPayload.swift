import Foundation
import WebImageCore

/// Results that are no pixels. The host parses them from a copy, with bounds for every number, and with the formats that
/// the coder may report.
enum SandboxPayload {
    /// The longest payload that the host accepts for a file of `byteCount` bytes. Metadata is part of the file or, if it
    /// is compressed, within the limits of ancillary data. A frame takes at least some bytes of the file.
    static func mostBytes(_ byteCount: Int, _ limits: DecodingLimits) -> Int {
        let ancillary = min(limits.maxAncillaryBytes, 64 << 20)
        return 8 * min(byteCount, 64 << 20) + 2 * ancillary + 65_536
    }
}

extension ImageInfo {
    private static let longestDelay = 1e12

    /// The fields as a worker sends them.
    var sandboxPayload: Data {
        var fields = FieldWriter()
        write(to: &fields)
        return fields.bytes
    }

    fileprivate func write(to fields: inout FieldWriter) {
        fields.write(format.rawValue)
        fields.write(storedSize.width)
        fields.write(storedSize.height)
        fields.write(orientation.rawValue)
        fields.write(frameCount)
        fields.write(loopCount ?? -1)
        fields.write(bitDepth)
        fields.write(flags: [hasAlpha, isGray, hasICCProfile, isLossless, workingMemory.shrinksWhileReading])
        fields.write(workingMemory.fixedBytes)
        fields.write(workingMemory.bytesPerSourcePixel)
        fields.write(delaysMilliseconds.count)
        for delay in delaysMilliseconds { fields.write(delay) }
        fields.write(mediaDuration ?? -1)
        fields.write(hdr)
    }

    init?(sandboxPayload bytes: Data, formats: [ImageFormat]) {
        var fields = FieldReader(bytes)
        self.init(&fields, formats)
        guard fields.rest == 0 else { return nil }
    }

    fileprivate init?(_ fields: inout FieldReader, _ formats: [ImageFormat]) {
        // The size of a drawing is not limited by the size of its pixels.
        let sides = 1...Int(Int32.max)
        guard let format = fields.format(), formats.contains(format),
            let width = fields.number(in: sides), let height = fields.number(in: sides),
            let orientation = fields.number(in: 1...8).flatMap(ImageOrientation.init(rawValue:)),
            let frameCount = fields.number(in: 1...Int(Int32.max)), let loopCount = fields.number(in: -1...Int.max),
            let bitDepth = fields.number(in: 0...0xFFFF), let flags = fields.flags(5),
            let workingBytes = fields.number(in: 0...Int.max), let pixelBytes = fields.number(in: 0...256),
            let delays = fields.list({ $0.real(in: 0...Self.longestDelay) }),
            let duration = fields.real(in: -1...Self.longestDelay)
        else { return nil }
        var hdr: HDRDescription?
        guard fields.read(&hdr) else { return nil }
        self.init(format: format, storedSize: PixelSize(width: width, height: height))
        self.orientation = orientation
        self.frameCount = frameCount
        self.loopCount = loopCount < 0 ? nil : loopCount
        self.bitDepth = bitDepth
        (hasAlpha, isGray, hasICCProfile, isLossless) = (flags[0], flags[1], flags[2], flags[3])
        workingMemory.shrinksWhileReading = flags[4]
        workingMemory.fixedBytes = workingBytes
        workingMemory.bytesPerSourcePixel = pixelBytes
        delaysMilliseconds = delays
        mediaDuration = duration < 0 ? nil : duration
        self.hdr = hdr
    }
}

extension FieldWriter {
    fileprivate mutating func write(_ hdr: HDRDescription?) {
        write(flags: [hdr != nil, hdr?.gainMap != nil, hdr?.contentLight != nil])
        write(hdr?.transfer?.rawValue ?? 0)
        write(hdr?.primaries ?? -1)
        write(hdr?.contentLight?.maximum ?? 0)
        write(hdr?.contentLight?.average ?? 0)
        guard let map = hdr?.gainMap else { return }
        write(map.size.width)
        write(map.size.height)
        write(map.channelCount)
        write(flags: [map.metadata.usesBaseColorSpace])
        write(map.metadata.baseHeadroom)
        write(map.metadata.alternateHeadroom)
        write(map.metadata.channels.count)
        for channel in map.metadata.channels {
            for value in [
                channel.minimum, channel.maximum, channel.gamma, channel.baseOffset, channel.alternateOffset,
            ] { write(value) }
        }
    }
}

extension FieldReader {
    /// Reads a description or its absence. Returns false for numbers that no picture has.
    fileprivate mutating func read(_ hdr: inout HDRDescription?) -> Bool {
        let nits = 0...1_000_000
        guard let flags = flags(3), let transfer = number(in: 0...255), let primaries = number(in: -1...255),
            let most = number(in: nits), let mean = number(in: nits)
        else { return false }
        var map: GainMap?
        if flags[1] {
            guard let found = GainMap(&self) else { return false }
            map = found
        }
        guard flags[0] else { return true }
        hdr = HDRDescription(
            gainMap: map, transfer: .init(rawValue: transfer), primaries: primaries < 0 ? nil : primaries,
            contentLight: flags[2] ? ContentLightLevel(maximum: most, average: mean) : nil)
        return true
    }
}

extension GainMap {
    fileprivate init?(_ fields: inout FieldReader) {
        let sides = 1...Int(Int32.max)
        let reals = -1e9...1e9
        guard let width = fields.number(in: sides), let height = fields.number(in: sides),
            let channelCount = fields.number(in: 1...3), let flags = fields.flags(1),
            let base = fields.real(in: reals), let alternate = fields.real(in: reals)
        else { return nil }
        let channels = fields.list { fields -> GainMapMetadata.Channel? in
            guard let minimum = fields.real(in: reals), let maximum = fields.real(in: reals),
                let gamma = fields.real(in: reals), let offset = fields.real(in: reals),
                let other = fields.real(in: reals)
            else { return nil }
            return .init(
                minimum: minimum, maximum: maximum, gamma: gamma, baseOffset: offset, alternateOffset: other)
        }
        guard let channels else { return nil }
        let metadata = GainMapMetadata(
            channels: channels, baseHeadroom: base, alternateHeadroom: alternate, usesBaseColorSpace: flags[0])
        guard metadata.isUsable else { return nil }
        self.init(metadata: metadata, size: PixelSize(width: width, height: height), channelCount: channelCount)
    }
}

extension ImageProperties {
    /// The fields as a worker sends them.
    var sandboxPayload: Data {
        var fields = FieldWriter()
        info.write(to: &fields)
        for directory in [tiff, exif, gps] {
            fields.write(directory.count)
            for (tag, value) in directory {
                fields.write(tag)
                value.write(to: &fields)
            }
        }
        let blobs = [exifData, xmp, iccProfile, gainMapData, thumbnailData]
        fields.write(flags: blobs.map { $0 != nil })
        for blob in blobs { if let blob { fields.write(blob) } }
        fields.write(texts.count)
        for text in texts {
            fields.write(text.keyword)
            fields.write(text.text)
        }
        fields.write(flags: [density != nil])
        if let density {
            fields.write(density.horizontal)
            fields.write(density.vertical)
        }
        return fields.bytes
    }

    init?(sandboxPayload bytes: Data, formats: [ImageFormat]) {
        var fields = FieldReader(bytes)
        guard let info = ImageInfo(&fields, formats) else { return nil }
        self.init(info: info)
        guard let tiff = Self.directory(&fields), let exif = Self.directory(&fields),
            let gps = Self.directory(&fields), let flags = fields.flags(5)
        else { return nil }
        var blobs: [Data?] = []
        for index in 0..<5 {
            let isThere = flags[index]
            let blob = isThere ? fields.data() : nil
            guard !isThere || blob != nil else { return nil }
            blobs.append(blob)
        }
        let texts = fields.list { fields -> Text? in
            guard let keyword = fields.text(), let text = fields.text() else { return nil }
            return Text(keyword: keyword, text: text)
        }
        guard let texts, let hasDensity = fields.flags(1) else { return nil }
        if hasDensity[0] {
            let range = 1.0...65_535
            guard let horizontal = fields.real(in: range), let vertical = fields.real(in: range) else { return nil }
            density = PixelDensity(horizontal: horizontal, vertical: vertical)
        }
        guard fields.rest == 0 else { return nil }
        (self.tiff, self.exif, self.gps, self.texts) = (tiff, exif, gps, texts)
        (exifData, xmp, iccProfile, gainMapData, thumbnailData) = (blobs[0], blobs[1], blobs[2], blobs[3], blobs[4])
    }

    private static func directory(_ fields: inout FieldReader) -> [Int: Value]? {
        let entries = fields.list { fields -> (Int, Value)? in
            guard let tag = fields.number(in: 0...0xFFFF), let value = Value(&fields) else { return nil }
            return (tag, value)
        }
        return entries.map { Dictionary($0) { first, _ in first } }
    }
}

extension ImageProperties.Value {
    fileprivate func write(to fields: inout FieldWriter) {
        switch self {
        case .text(let text):
            fields.write(0)
            fields.write(text)
        case .integers(let values):
            fields.write(1)
            fields.write(values.count)
            for value in values { fields.write(value) }
        case .rationals(let values):
            fields.write(2)
            fields.write(values.count)
            for value in values {
                fields.write(value.numerator)
                fields.write(value.denominator)
            }
        case .reals(let values):
            fields.write(3)
            fields.write(values.count)
            for value in values { fields.write(value) }
        case .bytes(let data):
            fields.write(4)
            fields.write(data)
        }
    }

    fileprivate init?(_ fields: inout FieldReader) {
        let all = Int.min...Int.max
        let value: Self? =
            switch fields.number(in: 0...4) {
            case 0: fields.text().map { .text($0) }
            case 1: fields.list { $0.number(in: all) }.map { .integers($0) }
            case 2:
                fields.list { fields -> ImageProperties.Rational? in
                    guard let numerator = fields.number(in: all), let denominator = fields.number(in: all) else {
                        return nil
                    }
                    return .init(numerator: numerator, denominator: denominator)
                }.map { .rationals($0) }
            // A file may store any bits as a real number, also ones that are no number.
            case 3: fields.list { $0.raw().map(Double.init(bitPattern:)) }.map { .reals($0) }
            case 4: fields.data().map { .bytes($0) }
            default: nil
            }
        guard let value else { return nil }
        self = value
    }
}

/// What the host knows of an animation whose decoder a worker keeps.
struct SandboxAnimationFacts: Equatable {
    var frameCount: Int
    var loopCount: Int
    var playCount: Int
    /// The duration of each frame during playback, in seconds.
    var durations: [Double]

    init(_ animation: any AnimatedImageProvider) {
        frameCount = animation.animatedImageFrameCount
        (loopCount, playCount) = (animation.animatedImageLoopCount, animation.animatedImagePlayCount)
        durations = (0..<frameCount).map { animation.animatedImageDuration(at: $0) }
    }

    var payload: Data {
        var fields = FieldWriter()
        fields.write(frameCount)
        fields.write(loopCount)
        fields.write(playCount)
        fields.write(durations.count)
        for duration in durations { fields.write(duration) }
        return fields.bytes
    }

    /// - Parameter known: the number of frames, if the worker has claimed it before.
    init?(payload: Data, _ limits: DecodingLimits, frameCount known: Int? = nil) {
        var fields = FieldReader(payload)
        guard let frameCount = fields.number(in: 0...max(limits.maxFrameCount, 1)), frameCount == known ?? frameCount,
            let loopCount = fields.number(in: 0...Int.max), let playCount = fields.number(in: 0...Int.max),
            let durations = fields.list({ $0.real(in: 0...1e9) }), durations.count == frameCount, fields.rest == 0
        else { return nil }
        (self.frameCount, self.loopCount, self.playCount) = (frameCount, loopCount, playCount)
        self.durations = durations
    }
}

/// What the host knows of a picture that arrives in pieces.
struct SandboxStreamFacts: Equatable {
    var revision = 0
    var info: ImageInfo?

    var payload: Data {
        var fields = FieldWriter()
        fields.write(revision)
        fields.write(flags: [info != nil])
        info?.write(to: &fields)
        return fields.bytes
    }

    init(revision: Int = 0, info: ImageInfo? = nil) { (self.revision, self.info) = (revision, info) }

    init?(payload: Data, formats: [ImageFormat]) {
        var fields = FieldReader(payload)
        guard let revision = fields.number(in: 0...Int.max), let flags = fields.flags(1) else { return nil }
        self.revision = revision
        if flags[0] {
            guard let info = ImageInfo(&fields, formats) else { return nil }
            self.info = info
        }
        guard fields.rest == 0 else { return nil }
    }
}
