import CWebImagePDFium
import Foundation
import WebImageCore
import WebImageGraphics

/// A document while the lock of PDFium is held.
struct PDFDocument {
    private let pdfium: PDFiumFunctions
    private let document: FPDF_DOCUMENT

    /// Opens a document, calls `body` and closes it.
    static func withDocument<Value>(
        _ bytes: UnsafeRawBufferPointer, _ body: (PDFDocument) throws(WebImageError) -> Value
    ) throws(WebImageError) -> Value {
        try PDFLibrary.use { pdfium throws(WebImageError) in
            guard let document = pdfium.FPDF_LoadMemDocument64(bytes.baseAddress, bytes.count, nil) else {
                switch Int32(pdfium.FPDF_GetLastError()) {
                case WEBIMAGE_PDFIUM_PASSWORD:
                    throw .badData("pdfium", "the document needs a password", hint: "Save it without a password.")
                case WEBIMAGE_PDFIUM_SECURITY:
                    throw .badData("pdfium", "the document is protected in an unknown way")
                default: throw .badData("pdfium", "the document is damaged", hint: "Fetch the file again.")
                }
            }
            HandleLedger.opened("pdfium")
            defer {
                pdfium.FPDF_CloseDocument(document)
                HandleLedger.closed("pdfium")
            }
            return try body(PDFDocument(pdfium: pdfium, document: document))
        }
    }

    func info(_ limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        let count = Int(pdfium.FPDF_GetPageCount(document))
        guard count > 0 else { throw .badData("pdfium", "the document has no page") }
        // To load the page would parse all that it shows, which takes half of the time of a drawing.
        var size = FS_SIZEF()
        guard pdfium.FPDF_GetPageSizeByIndexF(document, 0, &size) != 0 else {
            throw .badData("pdfium", "page 1 is damaged")
        }
        let points = try Self.checked((Double(size.width), Double(size.height)), ofPage: 0)
        var info = ImageInfo(format: .pdf, storedSize: Self.pixelSize(points))
        try limits.checkPixels(info.storedSize)
        info.frameCount = count
        return info
    }

    func image(
        at index: Int, options: DecodingOptions, isTransparent: Bool, _ deadline: DecodeDeadline
    ) throws(WebImageError) -> Image {
        try withPage(index) { page, pageSize throws(WebImageError) in
            let own = Self.pixelSize(pageSize)
            let size = options.vectorSize(for: own)
            try options.limits.checkPixels(size)
            // PDFium draws in place, and holds masks and groups of the drawing's size.
            try options.limits.checkDecodeBytes(size.byteCount(12))
            try deadline.check()
            // PDFium writes both orders of colours, so that straight colours need no second picture.
            let pixels = try PixelBuffer(
                width: size.width, height: size.height,
                format: options.pixelFormat == .rgba8 ? .rgba8 : .bgra8Premultiplied)
            memset(pixels.baseAddress, isTransparent ? 0 : 255, pixels.byteCount)
            try draw(page, pageSize, into: pixels, isTransparent: isTransparent)
            try deadline.check()
            if isTransparent {
                // PDFium writes straight colours where the background is transparent.
                if pixels.format != .rgba8 { pixels.premultiplyInPlace(rows: 0..<size.height) }
            } else {
                try PackedRows.setOpaque(pixels)
            }
            return try DecodedPicture.drawn(
                pixels, hasAlpha: isTransparent, format: .pdf, of: own, options: options)
        }
    }

    private func draw(
        _ page: FPDF_PAGE, _ size: (width: Double, height: Double), into pixels: PixelBuffer, isTransparent: Bool
    ) throws(WebImageError) {
        guard
            let bitmap = pdfium.FPDFBitmap_CreateEx(
                Int32(pixels.width), Int32(pixels.height),
                // On an opaque bitmap with alpha, text would leave some pixels a little transparent.
                isTransparent ? WEBIMAGE_PDFIUM_BGRA : WEBIMAGE_PDFIUM_BGRX, pixels.baseAddress,
                Int32(pixels.bytesPerRow))
        else { throw .badData("pdfium", "cannot draw \(pixels.size) pixels", hint: "Ask for a smaller picture.") }
        defer { pdfium.FPDFBitmap_Destroy(bitmap) }
        var matrix = FS_MATRIX(
            a: Float(Double(pixels.width) / size.width), b: 0, c: 0, d: Float(Double(pixels.height) / size.height),
            e: 0,
            f: 0)
        var clipping = FS_RECTF(left: 0, top: 0, right: Float(pixels.width), bottom: Float(pixels.height))
        let order = pixels.format == .rgba8 ? WEBIMAGE_PDFIUM_REVERSED : 0
        pdfium.FPDF_RenderPageBitmapWithMatrix(
            bitmap, page, &matrix, &clipping, WEBIMAGE_PDFIUM_ANNOTATIONS | WEBIMAGE_PDFIUM_LESS_MEMORY | order)
    }

    private func withPage<Value>(
        _ index: Int, _ body: (FPDF_PAGE, (width: Double, height: Double)) throws(WebImageError) -> Value
    ) throws(WebImageError) -> Value {
        guard index < Int(pdfium.FPDF_GetPageCount(document)) else {
            throw .badData("pdfium", "there is no page \(index + 1)")
        }
        guard let page = pdfium.FPDF_LoadPage(document, Int32(index)) else {
            throw .badData("pdfium", "page \(index + 1) is damaged")
        }
        defer { pdfium.FPDF_ClosePage(page) }
        let (width, height) = (Double(pdfium.FPDF_GetPageWidthF(page)), Double(pdfium.FPDF_GetPageHeightF(page)))
        return try body(page, try Self.checked((width, height), ofPage: index))
    }

    private static func checked(
        _ size: (width: Double, height: Double), ofPage index: Int
    ) throws(WebImageError) -> (width: Double, height: Double) {
        guard size.width > 0, size.height > 0, size.width < 1e6, size.height < 1e6 else {
            throw .badData("pdfium", "page \(index + 1) has no size")
        }
        return size
    }

    /// The smallest size in whole pixels that contains a page. A fraction of up to 0.001 is an error of rounding.
    private static func pixelSize(_ size: (width: Double, height: Double)) -> PixelSize {
        func side(_ length: Double) -> Int { max(Int((length - 0.001).rounded(.up)), 1) }
        return PixelSize(width: side(size.width), height: side(size.height))
    }
}
