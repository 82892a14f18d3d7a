import CWebImageTIFF
import WebImageCore

/// How a page stores its samples, and which colours and which alpha they make.
struct TIFFLayout {
    enum Color: Equatable {
        /// Grey; inverted if 0 is white.
        case gray(isInverted: Bool)
        case palette
        case rgb
        /// Cyan, magenta, yellow and black.
        case ink
        /// CIE L*a*b*. TIFF 6.0 stores a* and b* as signed numbers, ICC and ITU-T as numbers with an offset.
        case lab(isSigned: Bool)

        /// The number of samples of a pixel without the extra ones.
        var channelCount: Int {
            switch self {
            case .gray, .palette: 1
            case .rgb, .lab: 3
            case .ink: 4
            }
        }
    }

    /// The sample with the opacity of a pixel.
    enum Alpha: Equatable {
        case none
        case straight(sample: Int)
        /// The file stores colours that are multiplied by alpha.
        case multiplied(sample: Int)

        var sample: Int? {
            switch self {
            case .none: nil
            case .straight(let sample), .multiplied(let sample): sample
            }
        }
    }

    let color: Color
    let alpha: Alpha
    let bits: Int
    let isFloat: Bool
    let samplesPerPixel: Int
    let isPlanar: Bool

    /// The stored samples that are needed, in the order of the channels. Alpha is the last one.
    var samples: [Int] { Array(0..<color.channelCount) + (alpha.sample.map { [$0] } ?? []) }

    /// Whether a stored row is a row of the picture, so that it needs no conversion.
    var isPicture: Bool {
        guard bits == 8, !isPlanar else { return false }
        return switch (color, alpha) {
        case (.gray(isInverted: false), .none), (.rgb, .none): samplesPerPixel == color.channelCount
        case (.rgb, .straight(sample: 3)): samplesPerPixel == 4
        default: false
        }
    }

    /// Creates the layout of the current page. Returns nil if libtiff must convert the page, because it stores
    /// luminance and chroma.
    ///
    /// - Throws: `.unsupportedFormat` if neither this package nor libtiff converts the samples.
    init?(_ file: TIFFFile) throws(WebImageError) {
        guard let color = try Self.color(of: file) else { return nil }
        samplesPerPixel = max(file.short(TIFFTAG_SAMPLESPERPIXEL) ?? 1, 1)
        guard samplesPerPixel >= color.channelCount else {
            throw .badData("libtiff", "\(samplesPerPixel) samples are too few for the colours")
        }
        self.color = color
        alpha = Self.alpha(file.extraSamples, channelCount: color.channelCount, samplesPerPixel: samplesPerPixel)
        bits = file.short(TIFFTAG_BITSPERSAMPLE) ?? 1
        isPlanar = samplesPerPixel > 1 && file.short(TIFFTAG_PLANARCONFIG) == Int(PLANARCONFIG_SEPARATE)
        let sampleFormat = file.short(TIFFTAG_SAMPLEFORMAT) ?? Int(SAMPLEFORMAT_UINT)
        isFloat = sampleFormat == Int(SAMPLEFORMAT_IEEEFP)
        let isNumber = [SAMPLEFORMAT_UINT, SAMPLEFORMAT_VOID].contains { Int($0) == sampleFormat }
        let isLab = if case .lab = color { true } else { false }
        let known: Bool =
            if isFloat {
                [16, 32, 64].contains(bits) && color != .palette && !isLab
            } else if isLab {
                // Integers with a sign are the usual declaration for L*a*b*.
                [8, 16].contains(bits)
            } else {
                isNumber && (1...(color == .palette ? 16 : 32)).contains(bits)
            }
        guard known else {
            throw .notSupported("samples of \(bits) bits in the number format \(sampleFormat)")
        }
    }

    private static func color(of file: TIFFFile) throws(WebImageError) -> Color? {
        guard let photometric = file.declaredShort(TIFFTAG_PHOTOMETRIC) else {
            // The field is required. libtiff guesses the colours from the number of samples too.
            return (file.short(TIFFTAG_SAMPLESPERPIXEL) ?? 1) < 3 ? .gray(isInverted: false) : .rgb
        }
        switch Int32(photometric) {
        case PHOTOMETRIC_MINISBLACK: return .gray(isInverted: false)
        case PHOTOMETRIC_MINISWHITE: return .gray(isInverted: true)
        case PHOTOMETRIC_PALETTE: return .palette
        case PHOTOMETRIC_RGB: return .rgb
        case PHOTOMETRIC_SEPARATED:
            guard file.short(TIFFTAG_INKSET) ?? Int(INKSET_CMYK) == Int(INKSET_CMYK) else {
                throw .notSupported("inks that are not cyan, magenta, yellow and black")
            }
            return .ink
        case PHOTOMETRIC_CIELAB: return .lab(isSigned: true)
        case PHOTOMETRIC_ICCLAB: return .lab(isSigned: false)
        case PHOTOMETRIC_YCBCR, PHOTOMETRIC_LOGL, PHOTOMETRIC_LOGLUV: return nil
        default: throw .notSupported("the colours of photometric interpretation \(photometric)")
        }
    }

    /// Finds the sample with alpha: the first extra sample that is declared as alpha. A single extra sample without a
    /// declaration is straight alpha, as in most readers, in every layout.
    private static func alpha(_ declared: [Int], channelCount: Int, samplesPerPixel: Int) -> Alpha {
        for (index, type) in declared.enumerated() where channelCount + index < samplesPerPixel {
            if type == Int(EXTRASAMPLE_ASSOCALPHA) { return .multiplied(sample: channelCount + index) }
            if type == Int(EXTRASAMPLE_UNASSALPHA) { return .straight(sample: channelCount + index) }
        }
        return samplesPerPixel == channelCount + 1 ? .straight(sample: channelCount) : .none
    }
}

extension WebImageError {
    /// The error for a valid TIFF file of a kind that is not read.
    static func notSupported(_ what: String) -> WebImageError {
        WebImageError(
            .unsupportedFormat, stage: .decode,
            underlying: .codec(library: "libtiff", message: "\(what) are not supported"),
            hint: "Save the picture with 8 or 16 bits of grey, RGB or CMYK.")
    }
}
