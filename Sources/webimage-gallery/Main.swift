import Foundation
import WebImage
import WebImageAVIF
import WebImageHEIF
import WebImageJPEG2000
import WebImageJXL
import WebImageLinkPreview
import WebImageLottie
import WebImagePDF
import WebImageRaw
import WebImageSVG
import WebImageSandbox
import WebImageTIFF
import WebImageVideo

@main
struct Main {
    // This function must be synchronous. After its first suspension, an `async main` would no longer run on the thread
    // that GTK requires.
    static func main() {
        // Register the coders of the optional formats. The registration loads no library. A coder loads its library
        // when it first reads a picture of its format.
        ImageCodersManager.shared.coders += [
            ImageTIFFCoder.shared, ImageRawCoder.shared, ImagePDFCoder.shared, ImageLottieCoder.shared,
            ImageVideoCoder.shared,
            ImageJPEG2000Coder.shared, ImageSVGCoder.shared, ImageJPEGXLCoder.shared, ImageHEICCoder.shared,
            ImageAVIFCoder.shared,
        ]
        // The address of a web page shows the page's picture. Decoder processes read pages too.
        ImageLoadersManager.shared.addLoader(LinkPreviewImageLoader.shared)
        // A picture that crashes its decoder must not end the gallery.
        var isolation = WebImageSandbox.Configuration()
        isolation.whenUnavailable = .decodeHere
        _ = try? WebImageSandbox.enable(isolation)
        switch GalleryArguments.parse(CommandLine.arguments.dropFirst()) {
        case .run(let arguments):
            exit(
                MainActor.assumeIsolated {
                    let application = GalleryApplication(arguments)
                    // GTK calls closures that refer to it weakly. An optimised build would end it before.
                    return withExtendedLifetime(application) { application.run() }
                })
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
