public import Foundation

/// The metadata of an image file: EXIF, XMP, profile and text. The library reads it without decoding the pixels.
///
/// EXIF tags are stored under their numbers (EXIF 2.32). Properties such as ``make`` return common tags as
/// typed values.
public struct ImageProperties: Sendable, Hashable {
    /// A fraction of two whole numbers. EXIF stores most quantities in this form.
    public struct Rational: Sendable, Hashable {
        /// The number above the fraction bar.
        public var numerator: Int
        /// The number below the fraction bar. It is 0 if the file stores 0.
        public var denominator: Int

        /// Makes a fraction from its numerator and its denominator.
        public init(numerator: Int, denominator: Int) {
            self.numerator = numerator
            self.denominator = denominator
        }

        /// The value of the fraction; nil if the denominator is 0.
        public var value: Double? { denominator == 0 ? nil : Double(numerator) / Double(denominator) }
    }

    /// The value of a tag.
    public enum Value: Sendable, Hashable {
        /// Text, up to the first zero character.
        case text(String)
        /// Whole numbers.
        case integers([Int])
        /// Fractions.
        case rationals([Rational])
        /// Floating-point numbers.
        case reals([Double])
        /// Bytes whose meaning the file does not declare.
        case bytes(Data)
    }

    /// One text of a PNG file (`tEXt`, `zTXt`, `iTXt`).
    public struct Text: Sendable, Hashable {
        /// The subject of the text, such as `Author`.
        public var keyword: String
        /// The text itself.
        public var text: String

        /// Makes a text from its keyword and its contents.
        public init(keyword: String, text: String) {
            self.keyword = keyword
            self.text = text
        }
    }

    /// The format, size, orientation and frames of the image.
    public var info: ImageInfo
    /// The tags of the first TIFF directory, such as maker, model and date.
    public var tiff: [Int: Value] = [:]
    /// The tags of the Exif directory, such as exposure and lens.
    public var exif: [Int: Value] = [:]
    /// The tags of the GPS directory.
    public var gps: [Int: Value] = [:]
    /// The whole EXIF structure as stored. It starts with its byte order mark.
    public var exifData: Data?
    /// The XMP packet (ISO 16684-1), as stored.
    public var xmp: Data?
    /// The ICC profile.
    public var iccProfile: Data?
    /// The texts of a PNG file, in the order of the file. A text is omitted if it is longer than 64 KB or exceeds the
    /// ``DecodingLimits``.
    public var texts: [Text] = []
    /// The gain map (ISO 21496-1, Ultra HDR) as a JPEG file. A gain map contains a brightness factor for each
    /// position in the image. Displays with high dynamic range need these factors. Decoders ignore the gain map unless
    /// ``DecodingOptions/dynamicRange`` asks for it.
    public var gainMapData: Data?
    /// The JPEG thumbnail that cameras store in the file. It is not rotated upright.
    public var thumbnailData: Data?
    /// The pixels on an inch of paper, of the picture as it is stored: that of JFIF, of the chunk `pHYs`, or of the first
    /// TIFF directory. Nil if the file declares none.
    public var density: PixelDensity?

    /// Makes properties that contain only the description of the image. Set the other properties afterwards.
    public init(info: ImageInfo) { self.info = info }
}

extension ImageProperties {
    /// The manufacturer of the camera or scanner.
    public var make: String? { tiff[0x010F]?.string }
    /// The model of the camera or scanner.
    public var model: String? { tiff[0x0110]?.string }
    /// The program that wrote the file.
    public var software: String? { tiff[0x0131]?.string }
    /// The description of the image.
    public var imageDescription: String? { tiff[0x010E]?.string }
    /// The creator of the image.
    public var artist: String? { tiff[0x013B]?.string }
    /// The copyright notice.
    public var copyright: String? { tiff[0x8298]?.string }
    /// The time of the exposure, as `YYYY:MM:DD HH:MM:SS` in the camera's local time. If the file contains no exposure
    /// time, the property returns the time of the file's last change.
    public var dateTime: String? { exif[0x9003]?.string ?? tiff[0x0132]?.string }
    /// The exposure time in seconds.
    public var exposureTime: Double? { exif[0x829A]?.number }
    /// The focal length divided by the aperture.
    public var fNumber: Double? { exif[0x829D]?.number }
    /// The sensitivity (ISO).
    public var isoSpeed: Int? { exif[0x8827]?.number.flatMap { Int(exactly: $0) } }
    /// The focal length in millimetres.
    public var focalLength: Double? { exif[0x920A]?.number }
    /// The model of the lens.
    public var lensModel: String? { exif[0xA434]?.string }
    /// The latitude in degrees north of the equator; negative means south.
    public var latitude: Double? { degrees(0x0002, negative: "S", reference: 0x0001, limit: 90) }
    /// The longitude in degrees east of Greenwich; negative means west.
    public var longitude: Double? { degrees(0x0004, negative: "W", reference: 0x0003, limit: 180) }
    /// The altitude in metres above sea level; negative means below sea level.
    public var altitude: Double? {
        guard let metres = gps[0x0006]?.number else { return nil }
        return gps[0x0005]?.number == 1 ? -metres : metres
    }

    private func degrees(_ tag: Int, negative: String, reference: Int, limit: Double) -> Double? {
        guard case .rationals(let parts)? = gps[tag], parts.count == 3 else { return nil }
        let values = parts.compactMap(\.value)
        guard values.count == 3 else { return nil }
        let degrees = values[0] + values[1] / 60 + values[2] / 3600
        guard degrees <= limit else { return nil }
        return gps[reference]?.string == negative ? -degrees : degrees
    }
}

extension ImageProperties.Value {
    /// The value as text without surrounding blanks. Nil if the value is not text or is blank.
    public var string: String? {
        guard case .text(let text) = self else { return nil }
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return trimmed.isEmpty ? nil : trimmed
    }

    /// The first number of the value. Nil for text, for bytes, and for a fraction with the denominator 0.
    public var number: Double? {
        switch self {
        case .integers(let values): values.first.map(Double.init)
        case .rationals(let values): values.first?.value
        case .reals(let values): values.first
        case .text, .bytes: nil
        }
    }
}
