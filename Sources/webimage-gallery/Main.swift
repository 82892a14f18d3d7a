import Foundation
import WebImage
import WebImageGTK

@main
struct Main {
    // Synchronous on purpose: an `async main` that has suspended no longer owns the thread GTK needs.
    static func main() {
        switch GalleryArguments.parse(CommandLine.arguments.dropFirst()) {
        case .run(let arguments): exit(MainActor.assumeIsolated { GalleryApplication(arguments).run() })
        case .say(let text):
            print(text)
            exit(0)
        case .checkMainLoop: exit(MainActor.assumeIsolated { MainLoopCheck().run() })
        case .refuse(let complaint):
            FileHandle.standardError.write(Data("webimage-gallery: \(complaint)\nTry --help.\n".utf8))
            exit(1)
        }
    }
}
