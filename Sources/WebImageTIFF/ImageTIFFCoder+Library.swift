import CTIFF

extension ImageTIFFCoder {
    /// libtiff's version.
    package static var libraryVersion: String {
        // "LIBTIFF, Version 4.5.0" and then the copyright.
        let words = String(cString: TIFFGetVersion()).split(separator: "\n").first ?? ""
        return "libtiff " + (words.split(separator: " ").last ?? "?")
    }
}
