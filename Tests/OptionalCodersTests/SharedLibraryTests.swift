import CWebImageRSVGCheck
import Foundation
import Testing
import WebImage
import WebImageCore

/// Libraries that are loaded at their first use.
struct SharedLibraryTests {
    @Test func aMissingLibraryIsNamedWithWhatToInstall() {
        let error = #expect(throws: WebImageError.self) {
            let _: Int = try SharedLibrary.functions(of: "libnot-there.so.7", package: "libnot-there7") { _, _ in nil }
        }
        #expect(error?.code == .unsupportedFormat)
        #expect(error?.hint?.hasPrefix("Install it: apt install libnot-there7.") == true)
        #expect(error?.hint?.contains("rebuild this program") == true)
        #expect(error?.description.contains("libnot-there.so.7") == true)
    }

    @Test func aLibraryWithoutAFunctionIsRefused() {
        let error = #expect(throws: WebImageError.self) {
            let _: Int = try SharedLibrary.functions(of: "libc.so.6", package: "libc6") { library, _ in
                dlsym(library, "no_such_function") == nil ? UnsafePointer(strdup("no_such_function")) : nil
            }
        }
        #expect(error?.description.contains("no_such_function") == true)
        #expect(error?.hint?.contains("Rebuild this program") == true)
    }

    @Test func librsvgDeclarationsMatchItsHeaders() {
        #expect(webimage_rsvg_declarations_are_theirs() == 1)
    }
}
