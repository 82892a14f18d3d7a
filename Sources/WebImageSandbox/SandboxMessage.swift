import Foundation
import WebImageCore

// Messages between host and worker. Both are the same program, but the worker is as untrusted as the file that it
// decodes: the host checks every number of an answer before it uses it.

/// What the host asks a worker to do.
enum SandboxRequest: Equatable {
    /// Decode a picture whose bytes lie at the start of the window, or in the file that was sent with the message.
    case decode(id: UInt64, byteCount: Int, isInWindow: Bool, DecodingOptions)
    /// Run an attempt of the project's tests.
    case attempt(id: UInt64, number: Int, host: Int32)

    static let size = 160
    private static let magic: UInt64 = 0x0031_5153_4957  // "WISQ1"

    var encoded: Data {
        var fields = FieldWriter()
        fields.write(Self.magic)
        switch self {
        case .decode(let id, let byteCount, let isInWindow, let options):
            fields.write(id)
            fields.write(1)
            fields.write(UInt64(byteCount))
            fields.write(isInWindow ? 1 : 0)
            fields.write(options)
        case .attempt(let id, let number, let host):
            fields.write(id)
            fields.write(2)
            fields.write(UInt64(number))
            fields.write(UInt64(UInt32(bitPattern: host)))
        }
        return fields.bytes(Self.size)
    }

    /// Nil for bytes that are no request of this version.
    init?(_ bytes: Data) {
        guard bytes.count == Self.size else { return nil }
        var fields = FieldReader(bytes)
        guard fields.read() == Self.magic else { return nil }
        let id = fields.read()
        switch fields.read() {
        case 1:
            let byteCount = Int(clamping: fields.read())
            let isInWindow = fields.read() == 1
            guard let options = fields.readOptions() else { return nil }
            self = .decode(id: id, byteCount: byteCount, isInWindow: isInWindow, options)
        case 2:
            self = .attempt(
                id: id, number: Int(clamping: fields.read()),
                host: Int32(bitPattern: UInt32(truncatingIfNeeded: fields.read())))
        default: return nil
        }
    }

    init(decode byteCount: Int, id: UInt64, isInWindow: Bool, options: DecodingOptions) {
        self = .decode(id: id, byteCount: byteCount, isInWindow: isInWindow, options)
    }
}

/// What a worker answers.
enum SandboxAnswer: Equatable {
    /// The worker is locked and waits for requests.
    case ready(SandboxProtections)
    /// A picture, whose pixels follow through the window.
    case image(id: UInt64, SandboxPicture)
    case failed(id: UInt64, SandboxFailure)
    /// The `errno` of an attempt; 0: it worked.
    case attempted(id: UInt64, errno: Int)
    /// The next part of the pixels lies in the window.
    case nextPart(id: UInt64)
    /// The filter refused this system call, and the worker has ended.
    case violation(systemCall: Int)

    /// The longest answer: the fixed part and a text.
    static let mostBytes = 96 + SandboxFailure.mostTextBytes
    private static let magic: UInt64 = 0x0031_4153_4957  // "WISA1"

    var encoded: Data {
        var fields = FieldWriter()
        var text = Data()
        fields.write(Self.magic)
        switch self {
        case .ready(let protections):
            fields.write(1)
            fields.write(protections.hasFilter ? 1 : 0)
            fields.write(UInt64(clamping: protections.landlock))
            fields.write(protections.hasNamespaces ? 1 : 0)
        case .image(let id, let picture):
            fields.write(2)
            fields.write(id)
            fields.write(UInt64(clamping: picture.size.width))
            fields.write(UInt64(clamping: picture.size.height))
            fields.write(UInt64(clamping: picture.pixelFormat.rawValue))
            fields.write(UInt64(bitPattern: Int64(picture.format.rawValue)))
            fields.write(UInt64(clamping: picture.loopCount))
            fields.write((picture.hasAlpha ? 1 : 0) | (picture.omitsFrames ? 2 : 0))
            fields.write(UInt64(clamping: picture.profileByteCount))
        case .failed(let id, let failure):
            fields.write(3)
            fields.write(id)
            fields.write(UInt64(clamping: failure.code.rawValue))
            fields.write(UInt64(bitPattern: Int64(failure.actual)))
            fields.write(UInt64(bitPattern: Int64(failure.allowed)))
            fields.write(failure.limit.flatMap { SandboxFailure.limits.firstIndex(of: $0) }.map { UInt64($0 + 1) } ?? 0)
            text = Data(failure.text.utf8.prefix(SandboxFailure.mostTextBytes))
        case .attempted(let id, let errno):
            fields.write(4)
            fields.write(id)
            fields.write(UInt64(clamping: errno))
        case .nextPart(let id):
            fields.write(5)
            fields.write(id)
        case .violation: break
        }
        return fields.bytes(96) + text
    }

    /// Nil for bytes that are no answer of this version, and for numbers that no picture can have.
    init?(_ bytes: Data) {
        // The filter's handler can send only this.
        if bytes.count == 8, bytes.starts(with: Data("WISV".utf8)) {
            var number = 0
            for byte in bytes.suffix(4).reversed() { number = number << 8 | Int(byte) }
            self = .violation(systemCall: number)
            return
        }
        guard bytes.count >= 96, bytes.count <= Self.mostBytes else { return nil }
        var fields = FieldReader(bytes)
        guard fields.read() == Self.magic else { return nil }
        switch fields.read() {
        case 1:
            self = .ready(
                SandboxProtections(
                    hasFilter: fields.read() == 1, landlock: Int(clamping: fields.read()),
                    hasNamespaces: fields.read() == 1))
        case 2:
            let id = fields.read()
            guard let picture = SandboxPicture(&fields) else { return nil }
            self = .image(id: id, picture)
        case 3:
            let id = fields.read()
            guard let failure = SandboxFailure(&fields, text: bytes.dropFirst(96)) else { return nil }
            self = .failed(id: id, failure)
        case 4: self = .attempted(id: fields.read(), errno: Int(clamping: fields.read()))
        case 5: self = .nextPart(id: fields.read())
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
    var hasAlpha: Bool
    var omitsFrames: Bool
    /// The size of the ICC profile at the start of the window; 0: none.
    var profileByteCount: Int

    init(_ image: Image) {
        size = image.pixelSize
        pixelFormat = image.pixels.format
        format = image.imageFormat
        loopCount = image.imageLoopCount
        hasAlpha = image.hasAlpha
        omitsFrames = image.omitsFrames
        profileByteCount = image.colorProfile?.iccData.count ?? 0
    }

    fileprivate init?(_ fields: inout FieldReader) {
        let (width, height) = (Int(clamping: fields.read()), Int(clamping: fields.read()))
        let layout = PixelFormat(rawValue: Int(clamping: fields.read()))
        let format = Int(clamping: Int64(bitPattern: fields.read()))
        let loops = Int(clamping: fields.read())
        let flags = fields.read()
        let profile = Int(clamping: fields.read())
        guard (1...Self.mostSide).contains(width), (1...Self.mostSide).contains(height), let layout, flags < 4,
            profile <= Self.mostProfileBytes
        else { return nil }
        size = PixelSize(width: width, height: height)
        pixelFormat = layout
        self.format = ImageFormat(rawValue: format)
        loopCount = loops
        hasAlpha = flags & 1 != 0
        omitsFrames = flags & 2 != 0
        profileByteCount = profile
    }

    /// Whether the picture is one that `options` can produce, so that the host may allocate its memory.
    func answers(_ options: DecodingOptions) -> Bool {
        guard pixelFormat == options.pixelFormat || options.decodesToHDR, size.pixelCount <= options.limits.maxPixels
        else {
            return false
        }
        if options.scaleDownLimitBytes == nil, let box = options.thumbnailPixelSize {
            // The side that does not fill the box is rounded up.
            guard size.width <= box.width + 1, size.height <= box.height + 1 else { return false }
        }
        return true
    }
}

/// Why a worker could not decode a picture. Its text is shown to people and never interpreted.
struct SandboxFailure: Equatable {
    static let mostTextBytes = 512
    static let limits: [DecodingLimits.Limit] = [
        .encodedBytes, .pixels, .animationPixels, .frameCount, .ancillaryChunkBytes, .ancillaryBytes, .decodeBytes,
        .decodeTime, .bodyBytes,
    ]

    var code: WebImageError.Code
    var limit: DecodingLimits.Limit?
    var actual = 0
    var allowed = 0
    var text = ""

    init(_ error: WebImageError) {
        code = error.code
        switch error.underlying {
        case .limit(let limit, let actual, let allowed):
            (self.limit, self.actual, self.allowed) = (limit, actual, allowed)
        case .codec(let library, let message): text = "\(library): \(message)"
        case .message(let message): text = message
        case .posix(_, let message): text = message
        case .curl, .http, .sqlite, nil: break
        }
    }

    fileprivate init?(_ fields: inout FieldReader, text: Data) {
        guard let code = WebImageError.Code(rawValue: Int(clamping: fields.read())) else { return nil }
        self.code = code
        actual = Int(clamping: Int64(bitPattern: fields.read()))
        allowed = Int(clamping: Int64(bitPattern: fields.read()))
        let index = Int(clamping: fields.read())
        guard index <= Self.limits.count else { return nil }
        limit = index == 0 ? nil : Self.limits[index - 1]
        self.text = String(decoding: text, as: UTF8.self)
    }

    var error: WebImageError {
        if let limit { return .limit(limit, actual: actual, allowed: allowed) }
        return WebImageError(
            code, stage: .decode,
            underlying: text.isEmpty ? nil : .codec(library: "decoder process", message: text))
    }
}

/// The shared memory of host and worker: the encoded bytes, and two slots for parts of the pixels.
enum SandboxWindow {
    static let inputBytes = 4 << 20
    static let slotBytes = 2 << 20
    static let byteCount = inputBytes + 2 * slotBytes

    /// The offset of the slot of a part.
    static func offset(ofPart part: Int) -> Int { inputBytes + part % 2 * slotBytes }

    /// The number of parts of pixels of `byteCount` bytes.
    static func partCount(_ byteCount: Int) -> Int { (byteCount + slotBytes - 1) / slotBytes }

    /// The bytes of a part of pixels of `byteCount` bytes.
    static func range(ofPart part: Int, of byteCount: Int) -> Range<Int> {
        let start = min(part * slotBytes, byteCount)
        return start..<min(start + slotBytes, byteCount)
    }
}

/// Writes numbers of eight bytes, little-endian.
private struct FieldWriter {
    private var written = Data()

    mutating func write(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { written.append(contentsOf: $0) }
    }

    mutating func write(_ options: DecodingOptions) {
        var flags: UInt64 = options.firstFrameOnly ? 1 : 0
        if options.preserveAspectRatio { flags |= 2 }
        if options.decodesToHDR { flags |= 4 }
        if options.colorConversion == .asStored { flags |= 8 }
        if options.thumbnailPixelSize != nil { flags |= 16 }
        if options.scaleDownLimitBytes != nil { flags |= 32 }
        write(flags)
        write(UInt64(clamping: options.thumbnailPixelSize?.width ?? 0))
        write(UInt64(clamping: options.thumbnailPixelSize?.height ?? 0))
        write(UInt64(clamping: options.scaleDownLimitBytes ?? 0))
        write(UInt64(clamping: options.pixelFormat.rawValue))
        let limits = options.limits
        for value in [
            limits.maxEncodedBytes, limits.maxPixels, limits.maxAnimationPixels, limits.maxFrameCount,
            limits.maxAncillaryChunkBytes, limits.maxAncillaryBytes, limits.maxDecodeBytes, limits.maxSide,
        ] { write(UInt64(clamping: value)) }
        write(UInt64(min(max(limits.maxDecodeTime / .milliseconds(1), 0), 1e15)))
    }

    /// The fields, followed by zeros.
    func bytes(_ count: Int) -> Data { written + Data(count: max(count - written.count, 0)) }
}

/// Reads numbers of eight bytes, little-endian; 0 behind the end.
private struct FieldReader {
    private var rest: Data

    init(_ bytes: Data) { rest = bytes }

    mutating func read() -> UInt64 {
        defer { rest = rest.dropFirst(8) }
        return rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func readOptions() -> DecodingOptions? {
        var options = DecodingOptions()
        let flags = read()
        options.firstFrameOnly = flags & 1 != 0
        options.preserveAspectRatio = flags & 2 != 0
        options.decodesToHDR = flags & 4 != 0
        options.colorConversion = flags & 8 != 0 ? .asStored : .sRGB
        let (width, height) = (Int(clamping: read()), Int(clamping: read()))
        if flags & 16 != 0 { options.thumbnailPixelSize = PixelSize(width: width, height: height) }
        let scaleDown = Int(clamping: read())
        if flags & 32 != 0 { options.scaleDownLimitBytes = scaleDown }
        guard let format = PixelFormat(rawValue: Int(clamping: read())) else { return nil }
        options.pixelFormat = format
        options.limits.maxEncodedBytes = Int(clamping: read())
        options.limits.maxPixels = Int(clamping: read())
        options.limits.maxAnimationPixels = Int(clamping: read())
        options.limits.maxFrameCount = Int(clamping: read())
        options.limits.maxAncillaryChunkBytes = Int(clamping: read())
        options.limits.maxAncillaryBytes = Int(clamping: read())
        options.limits.maxDecodeBytes = Int(clamping: read())
        options.limits.maxSide = Int(clamping: read())
        options.limits.maxDecodeTime = .milliseconds(Int64(clamping: read()))
        return options
    }
}
