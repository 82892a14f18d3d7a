import CWebImagePDFium
import Foundation
package import WebImageCore

/// PDFium, which is loaded and started when it is needed for the first time.
///
/// PDFium allows one call at a time in a process. Therefore every use holds one lock.
enum PDFLibrary {
    private static let loaded = Locked<Result<PDFiumFunctions, WebImageError>?>(nil)

    /// Calls `body` with the functions while no other thread calls them. Blocks the thread until then.
    ///
    /// - Throws: `.unsupportedFormat` if PDFium is missing.
    static func use<Value>(
        _ body: (PDFiumFunctions) throws(WebImageError) -> Value
    ) throws(WebImageError) -> Value {
        try loaded.withLock { result throws(WebImageError) in
            let functions = result ?? Result { () throws(WebImageError) in try load() }
            result = functions
            return try body(try functions.get())
        }
    }

    private static func load() throws(WebImageError) -> PDFiumFunctions {
        let path = ProcessInfo.processInfo.environment["WEBIMAGE_PDFIUM"] ?? PDFIUM_LIBRARY
        let functions: PDFiumFunctions
        do throws(WebImageError) {
            // PDFium contains FreeType and exports its functions. In a program with GTK, its text would otherwise be drawn by
            // a mixture of two versions.
            functions = try SharedLibrary.functions(of: path, package: "", usesOwnSymbols: true) {
                PDFiumFunctions_bind($0, $1)
            }
        } catch {
            var missing = error
            missing.hint =
                "Debian has no package of PDFium. Take its library from the wheel 'pypdfium2' of the Python package "
                + "index or from its own releases, and set WEBIMAGE_PDFIUM to its path."
            throw missing
        }
        // No folder of fonts: a document is drawn with its own fonts and those inside PDFium, with and without restrictions,
        // and the same on each machine. PDFium keeps the address of the list.
        let folders = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: 1)
        folders.initialize(to: nil)
        var configuration = FPDF_LIBRARY_CONFIG(version: 2, user_font_paths: folders, isolate: nil, v8_slot: 0)
        functions.FPDF_InitLibraryWithConfig(&configuration)
        return functions
    }
}

extension ImagePDFCoder {
    /// Loads PDFium and returns its name. PDFium has no function for its version.
    ///
    /// - Throws: `.unsupportedFormat` if PDFium is missing.
    package static func libraryVersion() throws(WebImageError) -> String {
        try PDFLibrary.use { _ in "pdfium" }
    }
}
