import Foundation

/// The library that draws PDF, which is in no package of Debian. `Scripts/setup test` installs it.
package enum PDFium {
    /// Whether the library is there. Sets the variable that names its path for this process and those that it starts, unless
    /// it is set.
    package static let isThere: Bool = {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["WEBIMAGE_PDFIUM"] { return FileManager.default.fileExists(atPath: path) }
        let home = environment["XDG_DATA_HOME"] ?? (environment["HOME"] ?? "") + "/.local/share"
        let folder = home + "/swift-web-image/tiers/lib"
        for version in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let path = "\(folder)/\(version)/site-packages/pypdfium2_raw/libpdfium.so"
            guard FileManager.default.fileExists(atPath: path) else { continue }
            setenv("WEBIMAGE_PDFIUM", path, 1)
            return true
        }
        return false
    }()
}
