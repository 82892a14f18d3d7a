import Foundation
import WebImageCore

/// What a worker answers.
enum SandboxAnswer: Equatable {
    /// The worker is locked and waits for requests.
    case ready(SandboxProtections)
    /// A picture, whose pixels follow through the window.
    case image(id: UInt64, SandboxPicture)
    /// Bytes that ``SandboxPayload`` describes. Short ones are part of the answer, others follow through the window.
    case payload(id: UInt64, byteCount: Int, Data)
    case failed(id: UInt64, SandboxFailure)
    /// The `errno` of an attempt; 0: it worked.
    case attempted(id: UInt64, errno: Int)
    /// The next part of the result lies in the window.
    case nextPart(id: UInt64)
    /// The filter refused this system call, and the worker has ended.
    case violation(systemCall: Int)

    /// The longest bytes or text that are part of an answer.
    static let mostInlineBytes = 1024
    private static let headBytes = 104
    /// The longest answer.
    static let mostBytes = headBytes + mostInlineBytes
    private static let magic: UInt64 = 0x0033_4153_4957  // "WISA3"

    /// - Parameter busy: The time that the worker spent on the request, in nanoseconds.
    func encoded(busy: UInt64 = 0) -> Data {
        var fields = FieldWriter()
        var tail = Data()
        fields.write(Self.magic)
        fields.write(busy)
        switch self {
        case .ready(let protections):
            fields.write(1)
            fields.write(flags: [protections.hasFilter, protections.hasNamespaces])
            fields.write(protections.landlock)
        case .image(let id, let picture):
            fields.write(2)
            fields.write(id)
            picture.write(to: &fields)
        case .payload(let id, let byteCount, let bytes):
            fields.write(3)
            fields.write(id)
            fields.write(byteCount)
            tail = bytes
        case .failed(let id, let failure):
            fields.write(4)
            fields.write(id)
            failure.write(to: &fields)
            tail = Data(failure.encodedTexts.prefix(Self.mostInlineBytes))
        case .attempted(let id, let errno):
            fields.write(5)
            fields.write(id)
            fields.write(errno)
        case .nextPart(let id):
            fields.write(6)
            fields.write(id)
        case .violation: break
        }
        return fields.padded(to: Self.headBytes, tail)
    }

    /// The time that the worker claims to have spent on the request, in nanoseconds.
    static func busyNanoseconds(_ bytes: Data) -> UInt64 {
        var fields = FieldReader(bytes)
        _ = fields.raw()
        return fields.raw() ?? 0
    }

    /// Nil for bytes that are no answer of this version, and for numbers that no result can have.
    init?(_ bytes: Data) {
        // The filter's handler can send only this.
        if bytes.count == 8, bytes.starts(with: Data("WISV".utf8)) {
            self = .violation(systemCall: bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) })
            return
        }
        guard bytes.count >= Self.headBytes, bytes.count <= Self.mostBytes else { return nil }
        let tail = bytes.count > Self.headBytes ? Data(bytes.dropFirst(Self.headBytes)) : Data()
        var fields = FieldReader(bytes.count > Self.headBytes ? bytes.prefix(Self.headBytes) : bytes)
        guard fields.raw() == Self.magic, fields.raw() != nil, let kind = fields.raw() else { return nil }
        if kind == 1 {
            guard let flags = fields.flags(2), let landlock = fields.number(in: 0...1000) else { return nil }
            self = .ready(
                SandboxProtections(hasFilter: flags[0], landlock: landlock, hasNamespaces: flags[1]))
            return
        }
        guard let id = fields.raw() else { return nil }
        switch kind {
        case 2:
            guard let picture = SandboxPicture(&fields) else { return nil }
            self = .image(id: id, picture)
        case 3:
            guard let count = fields.number(in: 0...Int.max), tail.isEmpty || tail.count == count,
                !tail.isEmpty || count == 0 || count > Self.mostInlineBytes
            else { return nil }
            self = .payload(id: id, byteCount: count, tail)
        case 4:
            guard let failure = SandboxFailure(&fields, texts: tail) else { return nil }
            self = .failed(id: id, failure)
        case 5:
            guard let errno = fields.number(in: 0...4095) else { return nil }
            self = .attempted(id: id, errno: errno)
        case 6: self = .nextPart(id: id)
        default: return nil
        }
    }
}

/// The restrictions that are in force in a worker.
struct SandboxProtections: Equatable {
    var hasFilter = false
    /// The version of the kernel's Landlock interface; 0: none.
    var landlock = 0
    var hasNamespaces = false
}

/// The facts about a decoded picture.
struct SandboxPicture: Equatable {
    /// The longest side that the host accepts.
    static let mostSide = 1 << 24
    /// The longest ICC profile that the host accepts. A worker's limits are lower.
    static let mostProfileBytes = SandboxWindow.inputBytes

    var size: PixelSize
    var pixelFormat: PixelFormat
    var format: ImageFormat
    var loopCount: Int
    /// The number of frames that the worker keeps a decoder for; 1 for a still.
    var frameCount: Int
    var hasAlpha: Bool
    var omitsFrames: Bool
    var isIncremental: Bool
    /// The size of the ICC profile at the start of the window; 0: none.
    var profileByteCount: Int
    /// Where the pixels lie in the arena of the window; nil if they come through the slots.
    var arenaOffset: Int?

    init(_ image: Image) {
        size = image.pixelSize
        pixelFormat = image.pixels.format
        format = image.imageFormat
        loopCount = image.imageLoopCount
        frameCount = image.imageFrameCount
        hasAlpha = image.hasAlpha
        omitsFrames = image.omitsFrames
        isIncremental = image.isIncremental
        profileByteCount = image.colorProfile?.iccData.count ?? 0
    }

    fileprivate func write(to fields: inout FieldWriter) {
        fields.write(size.width)
        fields.write(size.height)
        fields.write(pixelFormat.rawValue)
        fields.write(format.rawValue)
        fields.write(loopCount)
        fields.write(frameCount)
        fields.write(flags: [hasAlpha, omitsFrames, isIncremental])
        fields.write(profileByteCount)
        fields.write(arenaOffset ?? -1)
    }

    fileprivate init?(_ fields: inout FieldReader) {
        guard let width = fields.number(in: 1...Self.mostSide), let height = fields.number(in: 1...Self.mostSide),
            let layout = fields.number(in: 0...Int.max).flatMap(PixelFormat.init(rawValue:)),
            let format = fields.format(), let loopCount = fields.number(in: 0...Int.max),
            let frameCount = fields.number(in: 1...Int.max), let flags = fields.flags(3),
            let profileByteCount = fields.number(in: 0...Self.mostProfileBytes),
            let arenaOffset = fields.number(in: -1...SandboxWindow.arenaBytes)
        else { return nil }
        size = PixelSize(width: width, height: height)
        pixelFormat = layout
        (self.format, self.loopCount, self.frameCount) = (format, loopCount, frameCount)
        (hasAlpha, omitsFrames, isIncremental) = (flags[0], flags[1], flags[2])
        self.profileByteCount = profileByteCount
        self.arenaOffset = arenaOffset < 0 ? nil : arenaOffset
    }

    /// Whether the picture is one that `options` can produce, so that the host may allocate its memory.
    ///
    /// - Parameter isMap: Whether the picture is the gain map of the one that the options describe. It can have more pixels.
    func answers(_ options: DecodingOptions, isMap: Bool = false) -> Bool {
        let isHigh = options.decodesToHDR || options.dynamicRange != .standard
        let layouts = isHigh ? [options.pixelFormat, .rgba16, .rgbaHalf] : [options.pixelFormat]
        guard layouts.contains(pixelFormat),
            isExact(options, isMap) || (try? options.limits.checkPixels(size)) != nil,
            size.byteCount(pixelFormat.bytesPerPixel) <= options.limits.maxDecodeBytes,
            frameCount <= max(options.limits.maxFrameCount, 1)
        else { return false }
        // A profile that was not asked for would reach the library that converts colours in the host.
        guard profileByteCount == 0 || options.colorConversion == .asStored || isHigh else {
            return false
        }
        if !isMap, options.scaleDownLimitBytes == nil, let box = options.thumbnailPixelSize {
            // The side that does not fill the box is rounded up.
            guard size.width <= box.width + 1, size.height <= box.height + 1 else { return false }
        }
        return true
    }

    /// Whether the picture has exactly the size that was asked for. It may be larger than the file's, whose limits do not
    /// apply to it.
    private func isExact(_ options: DecodingOptions, _ isMap: Bool) -> Bool {
        !isMap && (options.sourceRegion != nil || !options.preserveAspectRatio) && options.scaleDownLimitBytes == nil
            && options.thumbnailPixelSize == size
    }
}

extension FieldReader {
    /// Reads a format that some worker decodes.
    mutating func format() -> ImageFormat? {
        guard let number = number(in: Int.min...Int.max) else { return nil }
        let format = ImageFormat(rawValue: number)
        return format == .undefined || SandboxProfile(format) != nil ? format : nil
    }
}

/// Why a worker could not decode a picture. Its texts are shown to people and never interpreted.
struct SandboxFailure: Equatable {
    private static let limits: [DecodingLimits.Limit] = [
        .encodedBytes, .pixels, .animationPixels, .frameCount, .ancillaryChunkBytes, .ancillaryBytes, .decodeBytes,
        .decodeTime, .bodyBytes, .side,
    ]

    var code: WebImageError.Code
    var limit: DecodingLimits.Limit?
    var actual = 0
    var allowed = 0
    /// The codec library; empty if the message is the worker's own.
    var library = ""
    var message = ""
    var hint = ""

    init(_ error: WebImageError) {
        code = error.code
        hint = error.hint ?? ""
        switch error.underlying {
        case .limit(let limit, let actual, let allowed):
            (self.limit, self.actual, self.allowed) = (limit, actual, allowed)
        case .codec(let library, let message): (self.library, self.message) = (library, message)
        case .message(let message): self.message = message
        case .posix(_, let message): self.message = message
        case .curl, .http, .sqlite, nil: break
        }
    }

    fileprivate func write(to fields: inout FieldWriter) {
        fields.write(code.rawValue)
        fields.write(actual)
        fields.write(allowed)
        fields.write(limit.flatMap { Self.limits.firstIndex(of: $0) }.map { $0 + 1 } ?? 0)
    }

    /// The texts, separated by zero bytes.
    fileprivate var encodedTexts: Data { Data([library, message, hint].joined(separator: "\0").utf8) }

    fileprivate init?(_ fields: inout FieldReader, texts: Data) {
        // A worker's failure is one of a picture. It must not count as a cancellation or as a failure of the host.
        let codes: [WebImageError.Code] = [.badImageData, .limitExceeded, .unsupportedFormat, .outOfMemory]
        guard let code = fields.number(in: 0...Int.max).flatMap(WebImageError.Code.init), codes.contains(code),
            let actual = fields.number(in: Int.min...Int.max), let allowed = fields.number(in: Int.min...Int.max),
            let limit = fields.number(in: 0...Self.limits.count)
        else { return nil }
        self.code = code
        self.actual = actual
        self.allowed = allowed
        self.limit = limit == 0 ? nil : Self.limits[limit - 1]
        let parts = String(decoding: texts, as: UTF8.self).split(
            separator: "\0", maxSplits: 2, omittingEmptySubsequences: false
        ).map(Self.printable)
        (library, message, hint) = (
            parts.first ?? "", parts.count > 1 ? parts[1] : "", parts.count > 2 ? parts[2] : ""
        )
    }

    /// Replaces characters that could change what a terminal or a log shows: controls, marks of direction, line ends.
    private static func printable(_ text: Substring) -> String {
        let invisible: [Unicode.GeneralCategory] = [.control, .format, .lineSeparator, .paragraphSeparator]
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { invisible.contains($0.properties.generalCategory) ? " " : $0 }))
    }

    /// The error as the coder threw it. The time of a decode is that of the host's `limits`.
    func error(_ limits: DecodingLimits) -> WebImageError {
        var underlying: WebImageError.Underlying?
        if limit == .decodeTime {
            let seconds = Int(clamping: limits.maxDecodeTime.components.seconds)
            underlying = .limit(.decodeTime, actual: max(actual, seconds), allowed: seconds)
        } else if let limit {
            underlying = .limit(limit, actual: actual, allowed: allowed)
        } else if !library.isEmpty {
            underlying = .codec(library: library, message: message)
        } else if !message.isEmpty {
            underlying = .message(message)
        }
        return WebImageError(code, stage: .decode, underlying: underlying, hint: hint.isEmpty ? nil : hint)
    }
}
