import Foundation
import WebImage
import WebImageAVIF
import WebImageGTK
import WebImageHEIF
import WebImageJXL
import WebImageSVG
import WebImageTIFF

@main
struct Main {
    // Synchronous, because an `async main` that has suspended no longer runs on the thread that GTK requires.
    static func main() {
        // The additional formats of this command. The library of a format is loaded by the first picture that needs it.
        ImageCodersManager.shared.coders += [
            ImageTIFFCoder.shared, ImageSVGCoder.shared, ImageJPEGXLCoder.shared, ImageHEICCoder.shared,
            ImageAVIFCoder.shared,
        ]
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
