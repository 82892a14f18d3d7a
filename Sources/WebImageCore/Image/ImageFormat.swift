public import Foundation

/// The format of an encoded image. Formats that SDWebImage defines have the same numbers as in SDWebImage. Plug-ins
/// can add formats.
public struct ImageFormat: RawRepresentable, Sendable, Hashable {
    /// The number of the format; -1 means ``undefined``.
    public let rawValue: Int

    /// Makes a format from its number. For its own format, a plug-in chooses a number that no constant of this type
    /// has.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// An unknown format.
    public static let undefined = ImageFormat(rawValue: -1)
    /// JPEG (ITU-T T.81).
    public static let jpeg = ImageFormat(rawValue: 0)
    /// PNG (ISO/IEC 15948).
    public static let png = ImageFormat(rawValue: 1)
    /// GIF 87a and 89a.
    public static let gif = ImageFormat(rawValue: 2)
    /// TIFF 6.0.
    public static let tiff = ImageFormat(rawValue: 3)
    /// WebP (RFC 9649).
    public static let webP = ImageFormat(rawValue: 4)
    /// HEIC: HEIF whose major brand declares HEVC.
    public static let heic = ImageFormat(rawValue: 5)
    /// HEIF with a general major brand such as `mif1`, `msf1` or `miaf` (ISO/IEC 23008-12). If the compatible brands of
    /// such a file include AVIF, its format is ``avif``.
    public static let heif = ImageFormat(rawValue: 6)
    /// PDF.
    public static let pdf = ImageFormat(rawValue: 7)
    /// SVG.
    public static let svg = ImageFormat(rawValue: 8)
    /// Windows bitmap.
    public static let bmp = ImageFormat(rawValue: 9)
    /// Raw file of a camera.
    public static let raw = ImageFormat(rawValue: 10)
    /// AVIF: AV1 in HEIF.
    public static let avif = ImageFormat(rawValue: 15)
    /// JPEG XL (ISO/IEC 18181).
    public static let jpegXL = ImageFormat(rawValue: 17)
    /// Windows icon and cursor.
    public static let ico = ImageFormat(rawValue: 18)
    /// PNG with an animation (PNG third edition, `acTL`). An image that is decoded from such a file has the format
    /// ``png``.
    public static let apng = ImageFormat(rawValue: 19)

    /// JPEG 2000 (ISO/IEC 15444-1), in boxes or as a bare codestream.
    public static let jpeg2000 = ImageFormat(rawValue: 20)
    /// Lottie: a vector animation in JSON, or in an archive (dotLottie).
    public static let lottie = ImageFormat(rawValue: 21)
    /// A video in a container of MP4, QuickTime, Matroska, WebM, AVI, MPEG-TS or Ogg.
    public static let video = ImageFormat(rawValue: 22)

    /// The format of the file that contains the image: ``png`` for ``apng``. For every other format, the property
    /// returns the format itself.
    public var container: ImageFormat { self == .apng ? .png : self }

    /// Whether every file of the format is lossless. False for WebP, AVIF and JPEG XL, because their files can be
    /// lossy. A WebP file declares whether it is lossless. An AVIF or JPEG XL file contains no such declaration.
    package var isAlwaysLossless: Bool { [.png, .apng, .gif, .bmp, .ico, .tiff].contains(self) }

    /// Whether the frames of a file are pages, which can differ in size. Pages are not an animation: loads, views and
    /// the service show the first page.
    package var framesArePages: Bool { self == .tiff || self == .pdf }

    /// Whether a picture of the format is drawn at each size instead of scaled.
    package var isVector: Bool { self == .svg || self == .pdf || self == .lottie }

    /// The lower-case name of the format, as reports show it. Nil if the format has no name.
    public var name: String? { Self.known.first { $0.format == self }?.name }

    /// The uniform type identifier of the format. If the format has no identifier, the property returns `public.image`.
    public var typeIdentifier: String { Self.known.first { $0.format == self }?.type ?? "public.image" }

    /// Finds a format by its uniform type identifier. The result for an unknown identifier is ``undefined``.
    public init(typeIdentifier: String) {
        self = Self.known.first { $0.type == typeIdentifier && $0.format != .apng }?.format ?? .undefined
    }

    /// Finds a format by a file extension without the dot, in upper or lower case. The result for an unknown extension
    /// is ``undefined``.
    public init(fileExtension: String) {
        let wanted = fileExtension.lowercased()
        self = Self.known.first { $0.extensions.contains(wanted) }?.format ?? .undefined
    }

    private static let known: [(format: ImageFormat, name: String, type: String, extensions: [String])] = [
        (.jpeg, "jpeg", "public.jpeg", ["jpg", "jpeg", "jpe", "jfif"]),
        (.png, "png", "public.png", ["png"]),
        (.gif, "gif", "com.compuserve.gif", ["gif"]),
        (.tiff, "tiff", "public.tiff", ["tiff", "tif"]),
        (.webP, "webp", "org.webmproject.webp", ["webp"]),
        (.heic, "heic", "public.heic", ["heic", "heics"]),
        (.heif, "heif", "public.heif", ["heif", "hif"]),
        (.pdf, "pdf", "com.adobe.pdf", ["pdf"]),
        (.svg, "svg", "public.svg-image", ["svg"]),
        (.bmp, "bmp", "com.microsoft.bmp", ["bmp", "dib"]),
        (
            .raw, "raw", "public.camera-raw-image",
            ["dng", "cr2", "cr3", "nef", "nrw", "arw", "orf", "rw2", "raf", "pef", "srw"]
        ),
        (.avif, "avif", "public.avif", ["avif", "avifs"]),
        (.jpegXL, "jxl", "public.jpeg-xl", ["jxl"]),
        (.jpeg2000, "jp2", "public.jpeg-2000", ["jp2", "j2k", "jpf", "jpx", "jpc", "j2c"]),
        (.lottie, "lottie", "com.lottiefiles.lottie", ["lottie", "tgs"]),
        (
            .video, "video", "public.movie",
            ["mp4", "m4v", "mov", "qt", "3gp", "3g2", "mkv", "webm", "avi", "mts", "m2ts", "ogv"]
        ),
        (.ico, "ico", "com.microsoft.ico", ["ico", "cur"]),
        (.apng, "apng", "public.png", ["apng"]),
    ]
}

extension ImageFormat: CustomStringConvertible {
    /// The name of the format. For a format without a name, the text contains the number, such as `format 42`.
    public var description: String { name ?? (self == .undefined ? "undefined" : "format \(rawValue)") }
}

extension ImageFormat {
    /// The media type for `Content-Type`. For most formats it is the type registered with IANA. For ICO and camera raw
    /// files it is an unregistered type that is in common use. For videos, whose containers have different types, and for an
    /// unknown format it is `application/octet-stream`.
    public var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .apng: "image/apng"
        case .gif: "image/gif"
        case .tiff: "image/tiff"
        case .webP: "image/webp"
        case .heic: "image/heic"
        case .heif: "image/heif"
        case .pdf: "application/pdf"
        case .svg: "image/svg+xml"
        case .bmp: "image/bmp"
        case .raw: "image/x-dcraw"
        case .avif: "image/avif"
        case .jpegXL: "image/jxl"
        case .jpeg2000: "image/jp2"
        case .lottie: "video/lottie+json"
        case .ico: "image/x-icon"
        default: "application/octet-stream"
        }
    }
}

extension ImageFormat {
    /// The number of bytes at the start of a file that are sufficient to detect most formats. More bytes are necessary
    /// for SVG, for APNG, and for AVIF files with the general HEIF brand `mif1` or `msf1`.
    public static let signatureLength = 16

    /// Detects the format from the content. A file's name and its declared type are not used.
    ///
    /// Reads only the signature, with five exceptions:
    /// - PNG: reads the chunk headers up to the first `IDAT`, to detect ``apng``.
    /// - HEIF: reads the list of compatible brands, at most 256 bytes.
    /// - TIFF: reads the first directory, and up to eight that it names, to detect ``raw``.
    /// - SVG: reads up to the first element; of a document in UTF-16 with a byte order mark, at most the first MiB.
    /// - Video: reads the first packets of MPEG-TS, and at most 4 KiB of Ogg, to tell videos from sound.
    ///
    /// The result for an unknown signature is ``undefined``. Never fails and never reads outside `data`.
    public init(sniffing data: Data) {
        self = data.withUnsafeBytes { Self.sniff($0) }
    }

    static func sniff(_ bytes: UnsafeRawBufferPointer) -> ImageFormat {
        let picture = sniffPicture(bytes)
        guard picture == .undefined else { return picture }
        return VideoContainer.sniff(bytes) == nil ? .undefined : .video
    }

    private static func sniffPicture(_ bytes: UnsafeRawBufferPointer) -> ImageFormat {
        guard let first = bytes.first else { return .undefined }
        switch first {
        case 0xFF:
            if bytes.starts(with: [0xFF, 0x0A]) { return .jpegXL }
            if bytes.starts(with: [0xFF, 0x4F, 0xFF, 0x51]) { return .jpeg2000 }
            if bytes.starts(with: [0xFF, 0xFE]) { return isWideSVG(bytes, isBigEndian: false) ? .svg : .undefined }
            return bytes.starts(with: [0xFF, 0xD8]) ? .jpeg : .undefined
        case 0xFE:
            return bytes.starts(with: [0xFE, 0xFF]) && isWideSVG(bytes, isBigEndian: true) ? .svg : .undefined
        case 0x89:
            guard bytes.starts(with: pngSignature) else { return .undefined }
            return declaresAnimation(bytes) ? .apng : .png
        case UInt8(ascii: "G"):
            return bytes.starts(with: Array("GIF8".utf8)) ? .gif : .undefined
        case UInt8(ascii: "I"), UInt8(ascii: "M"):
            if isTIFF(bytes) { return isRawTIFF(bytes) ? .raw : .tiff }
            return isOwnRaw(bytes) ? .raw : .undefined
        case UInt8(ascii: "F"):
            return isOwnRaw(bytes) ? .raw : .undefined
        case UInt8(ascii: "{"), UInt8(ascii: "P"):
            return isLottie(bytes) ? .lottie : .undefined
        case UInt8(ascii: "B"):
            return bytes.starts(with: Array("BM".utf8)) ? .bmp : .undefined
        case UInt8(ascii: "R"):
            return bytes.starts(with: Array("RIFF".utf8)) && has("WEBP", at: 8, in: bytes) ? .webP : .undefined
        case UInt8(ascii: "%"):
            return bytes.starts(with: Array("%PDF".utf8)) ? .pdf : .undefined
        case 0x00:
            return sniffBoxesAndIcons(bytes)
        default:
            return isSVG(bytes) ? .svg : .undefined
        }
    }

    private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private static func has(_ text: StaticString, at offset: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= offset + text.utf8CodeUnitCount else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[offset + $0] == text.utf8Start[$0] }
    }

    /// Whether the first KiB of a JSON document has names that every Lottie animation has, or whether an archive begins with
    /// an entry of dotLottie.
    private static func isLottie(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.starts(with: [0x50, 0x4B, 3, 4]) {
            func number(_ place: Int) -> Int { Int(bytes[place]) | Int(bytes[place + 1]) << 8 }
            var place = 0
            // An archiver can write an entry for a folder, without bytes, before those of its files.
            for _ in 0..<4 where place + 30 <= bytes.count && has("PK\u{3}\u{4}", at: place, in: bytes) {
                if ["manifest.json", "animations/"].contains(where: { has($0, at: place + 30, in: bytes) }) {
                    return true
                }
                let name = bytes[(place + 30)...].prefix(number(place + 26))
                // The folder of version 2. Its name alone says too little.
                if name.starts(with: "a/".utf8), name.suffix(5).elementsEqual(".json".utf8) { return true }
                guard name.last == UInt8(ascii: "/") else { return false }
                place += 30 + name.count + number(place + 28)
            }
            return false
        }
        let start = Data(bytes.prefix(1024))
        return ["ip", "op", "fr", "w", "h", "layers", "v"].filter { start.range(of: Data("\"\($0)\"".utf8)) != nil }
            .count >= 4
    }

    private static func isTIFF(_ bytes: UnsafeRawBufferPointer) -> Bool {
        [[0x49, 0x49, 0x2A, 0], [0x4D, 0x4D, 0, 0x2A], [0x49, 0x49, 0x2B, 0], [0x4D, 0x4D, 0, 0x2B]]
            .contains { (signature: [UInt8]) in bytes.starts(with: signature) }
    }

    /// Detects the formats that start with a zero byte: files of ISO base media boxes (HEIF, AVIF, JPEG XL containers)
    /// and Windows icons.
    private static func sniffBoxesAndIcons(_ bytes: UnsafeRawBufferPointer) -> ImageFormat {
        if has("JXL ", at: 4, in: bytes) { return .jpegXL }
        if has("jP  ", at: 4, in: bytes) { return .jpeg2000 }
        if isOwnRaw(bytes) { return .raw }
        if has("ftyp", at: 4, in: bytes) { return brandFormat(bytes) }
        // An icon file starts with three 16-bit numbers: a reserved 0, the type (1 for icon, 2 for cursor), and
        // the number of images (at least 1).
        if bytes.count >= 6, bytes[1] == 0, bytes[2] == 1 || bytes[2] == 2, bytes[3] == 0,
            bytes[4] != 0 || bytes[5] != 0
        {
            return .ico
        }
        return .undefined
    }

    private static func brandFormat(_ bytes: UnsafeRawBufferPointer) -> ImageFormat {
        if has("avif", at: 8, in: bytes) || has("avis", at: 8, in: bytes) { return .avif }
        let heic: [StaticString] = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"]
        if heic.contains(where: { has($0, at: 8, in: bytes) }) { return .heic }
        // Any other major brand, such as `mif1`, `miaf` or `MA1B`, does not name the codec, so read the compatible brands.
        let general: [StaticString] = ["mif1", "mif2", "msf1", "miaf"]
        var isGeneral = general.contains { has($0, at: 8, in: bytes) }
        let boxLength = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        for offset in stride(from: 16, to: min(boxLength, bytes.count, 256), by: 4) {
            if has("avif", at: offset, in: bytes) || has("avis", at: offset, in: bytes) { return .avif }
            if heic.contains(where: { has($0, at: offset, in: bytes) }) { return .heif }
            isGeneral = isGeneral || general.contains { has($0, at: offset, in: bytes) }
        }
        return isGeneral ? .heif : .undefined
    }

    /// Whether `acTL` precedes the first `IDAT` (PNG third edition, §11.3.6.1).
    private static func declaresAnimation(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var offset = pngSignature.count
        while offset + 8 <= bytes.count {
            if has("acTL", at: offset + 4, in: bytes) { return true }
            if has("IDAT", at: offset + 4, in: bytes) { return false }
            let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            offset += 12 + length
        }
        return false
    }

    /// Whether the bytes are an SVG document: whether the name of the first element is `svg`, with or without a prefix.
    /// Blanks, comments, instructions and the document type can precede it.
    private static func isSVG(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        func starts(with text: StaticString) -> Bool { has(text, at: place, in: bytes) }
        func skip(past text: StaticString) -> Bool {
            while place < bytes.count {
                guard let next = bytes[place...].firstIndex(of: text.utf8Start[0]) else { break }
                place = next
                if starts(with: text) {
                    place += text.utf8CodeUnitCount
                    return true
                }
                place += 1
            }
            return false
        }
        while true {
            while place < bytes.count, isBlank(bytes[place]) { place += 1 }
            guard place < bytes.count, bytes[place] == UInt8(ascii: "<") else { return false }
            if starts(with: "<!--") {
                guard skip(past: "-->") else { return false }
            } else if starts(with: "<?") {
                guard skip(past: "?>") else { return false }
            } else if starts(with: "<!DOCTYPE") || starts(with: "<!doctype") {
                guard let end = endOfDocumentType(bytes, from: place) else { return false }
                place = end
            } else {
                let name = bytes[(place + 1)...].prefix {
                    !isBlank($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/")
                }
                // The name may continue in bytes that have not arrived.
                guard name.endIndex < bytes.count else { return false }
                let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
                return local.elementsEqual("svg".utf8)
            }
        }
    }

    /// Whether the bytes are an SVG document in UTF-16 with a byte order mark, which browsers read.
    private static func isWideSVG(_ bytes: UnsafeRawBufferPointer, isBigEndian: Bool) -> Bool {
        let units = UnsafeRawBufferPointer(rebasing: bytes[2..<min(bytes.count & ~1, 1 << 20)])
        func narrow(_ index: Int) -> UInt8 {
            let (high, low) = isBigEndian ? (units[index], units[index + 1]) : (units[index + 1], units[index])
            return high == 0 && low < 0x80 ? low : 0x80
        }
        guard units.count >= 2, narrow(0) == UInt8(ascii: "<") || isBlank(narrow(0)) else { return false }
        // Everything that decides is ASCII.
        return stride(from: 0, to: units.count, by: 2).map(narrow).withUnsafeBytes { isSVG($0) }
    }

    /// The place after a document type, whose declarations can contain `>`.
    private static func endOfDocumentType(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var place = start
        var isInside = false
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            switch byte {
            case UInt8(ascii: "["): isInside = true
            case UInt8(ascii: "]"): isInside = false
            case UInt8(ascii: ">") where !isInside: return place
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard let end = bytes[place...].firstIndex(of: byte) else { return nil }
                place = end + 1
            case UInt8(ascii: "<") where has("!--", at: place, in: bytes):
                // A comment can contain quotes.
                while place < bytes.count, !has("-->", at: place, in: bytes) { place += 1 }
            default: break
            }
        }
        return nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D: true
        default: false
        }
    }
}
