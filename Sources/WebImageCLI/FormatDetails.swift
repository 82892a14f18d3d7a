import WebImage

/// What `webimage formats --verbose` prints of a format beside its row.
struct FormatDetails: Sendable {
    /// The product of the package whose coder reads the format.
    let product: String
    /// What is read and written of the format. Nil for a format that is not written.
    let reads: String
    let writes: String?
    /// Where the library comes from. Nil for a built-in format, whose libraries come with the program.
    let package: String?
    /// Whether files are decoded in restricted processes, also without `--sandbox`.
    let isIsolated: Bool

    init(of format: ImageFormat, writes isWritten: Bool) {
        let row = Self.rows[format] ?? ("WebImage", "-", nil)
        (product, reads) = (row.product, row.reads)
        writes = isWritten ? row.writes : nil
        package =
            format == .pdf
            ? "none of Debian; the library of the wheel 'pypdfium2', with its path in WEBIMAGE_PDFIUM"
            : OptionalCoders.package(of: format)
        isIsolated = DecoderProcesses.alwaysIsolated.contains(format) && DecoderProcesses.switchedOff == nil
    }

    private static let rows: [ImageFormat: (product: String, reads: String, writes: String?)] = [
        .jpeg: ("WebImage", "grey, colour, CMYK; gain maps; while it arrives", "baseline and progressive, gain maps"),
        .png: ("WebImage", "all depths and types; while it arrives", "the fewest bits that hold the pixels, or 16"),
        .apng: ("WebImage", "animations", "animations"),
        .gif: ("WebImage", "animations; while it arrives", "animations of 256 colours"),
        .webP: ("WebImage", "lossy, lossless, animations; while it arrives", "lossy, lossless, animations"),
        .bmp: ("WebImage", "1 to 32 bits, runs, OS/2 headers", "24 bits, or 32 with alpha"),
        .ico: ("WebImage", "the largest, then deepest picture", "one PNG of at most 256 px"),
        .avif: ("WebImageAVIF", "8 to 12 bits, sequences, gain maps", "lossy, lossless, sequences, HDR, gain maps"),
        .heic: ("WebImageHEIF", "stills of 8 and 10 bits, gain maps", "stills"),
        .jpegXL: (
            "WebImageJXL", "8 to 16 bits, animations, CMYK, gain maps", "lossy, lossless, animations, JPEG as it is"
        ),
        .svg: ("WebImageSVG", "drawings at any size, also compressed", nil),
        .tiff: ("WebImageTIFF", "pages, tiles, 1 to 32 bits, BigTIFF", "pages, deflated"),
        .jpeg2000: ("WebImageJPEG2000", "JP2 and codestreams, 1 to 31 bits; small results from the file's levels", nil),
        .raw: ("WebImageRaw", "what LibRaw reads; small results from the preview in the file", nil),
        .pdf: ("WebImagePDF", "pages at any size, without a password", nil),
        .lottie: ("WebImageLottie", "JSON, gzip, .lottie; frames at any size, without text layers", nil),
        .video: (
            "WebImageVideo", "a poster, a frame at a time, previews; MP4, MOV, MKV, WebM, AVI, TS, Ogg", nil
        ),
    ]
}
