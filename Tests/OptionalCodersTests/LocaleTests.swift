import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageHEIF
import WebImageJXL
import WebImageSVG
import WebImageTIFF
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Checks that results do not depend on the locale. A program may set the locale with `setlocale(3)`; GTK does. The
/// tested locales have a decimal comma, and in one of them "I" and "i" are not a pair of upper case and lower case.
///
/// Each test runs in a separate process, because the locale applies to the whole process.
@Suite(.timeLimit(minutes: 3), .enabled(if: CompiledLocale.isAvailable))
struct LocaleTests {
    @Test(arguments: CompiledLocale.names) func keysAndNamesEqualThoseOfTheCLocale(_ name: String) async throws {
        let folder = try ScratchFolder()
        try CompiledLocale.compile(name, into: folder.url.path)
        await #expect(processExitsWith: .success) { [path = folder.url.path as String, name = name as String] in
            let before = try Self.words()
            try #require(CompiledLocale.use(name, in: path))
            let after = try Self.words()
            #expect(before.count == after.count)
            for (word, other) in zip(before, after) { #expect(word == other) }
            #expect(
                before.contains("SDImageBlurTransformer(2.500000)") && before.contains { $0.contains("100.500000") })
            Self.expectNames()
        }
    }

    /// Returns texts that must be the same in every locale, because programs compare, store and send them.
    private static func words() throws -> [String] {
        let url = try #require(URL(string: "https://example.org/a.png"))
        // The manager stores the key of the last size. Two different sizes make the manager compute each key in the
        // current locale.
        let boxes = [100.5, 101.5].map { CGSize(width: $0, height: 80) }
        let keys = boxes.map {
            WebImageManager.shared.cacheKey(for: url, context: [.imageThumbnailPixelSize: $0]) ?? ""
        }
        let color = ImageColor(red: 1, green: 0.5, blue: 0)
        let size = CGSize(width: 1.5, height: 2)
        let transformers: [any ImageTransformer] = [
            ImageRoundCornerTransformer(radius: 1.5, corners: .allCorners, borderWidth: 0.5, borderColor: color),
            ImageResizingTransformer(size: size, scaleMode: .fill),
            ImageRotationTransformer(angle: 0.5, fitSize: true), ImageBlurTransformer(radius: 2.5),
            ImageTintTransformer(color: color), ImageCroppingTransformer(rect: CGRect(origin: .zero, size: size)),
            ImageCircleTransformer(borderWidth: 2.5), ImageLetterboxTransformer(size: size),
            ImageFilterTransformer(filter: NeighbourFilter.sharpen(0.5)),
            ImageFilterTransformer(filter: NeighbourFilter.pixellate(points: 2.5)),
            ImageFilterTransformer(filter: NeighbourFilter.vignette(intensity: 0.5)),
            ImageFilterTransformer(filter: ColorFilter.saturation(1.5)),
            ImageFilterTransformer(
                filter: try #require(NeighbourFilter.convolution([0.5, 1.5, 0, 0, 0, 0, 0, 0, 0]))),
        ]
        let error = WebImageError.limit(.pixels, actual: 1_234_567, allowed: 1_000)
        return keys + transformers.map(\.transformerKey) + ["\(color)", "\(size.width)", "\(error)"]
    }

    private static func expectNames() {
        for (name, format) in [
            ("GIF", ImageFormat.gif), ("TIFF", .tiff), ("HEIC", .heic), ("AVIF", .avif), ("ICO", .ico), ("JFIF", .jpeg),
        ] {
            #expect(ImageFormat(fileExtension: name) == format)
            #expect(ImageFormat(fileExtension: name.lowercased()) == format)
        }
        #expect(ImageFormat(typeIdentifier: "public.tiff") == .tiff)
        let fields = ["CONTENT-TYPE": "IMAGE/GIF", "WARNING-I": "1"]
        let response = WebImageResponse(url: nil, statusCode: 200, allHeaderFields: fields)
        #expect(response.value(forHTTPHeaderField: "content-type") == "IMAGE/GIF")
        #expect(response.value(forHTTPHeaderField: "Warning-i") == "1")
    }

    @Test(arguments: CompiledLocale.names) func decodedImagesEqualThoseOfTheCLocale(_ name: String) async throws {
        let folder = try ScratchFolder()
        try CompiledLocale.compile(name, into: folder.url.path)
        await #expect(processExitsWith: .success) { [path = folder.url.path as String, name = name as String] in
            let before = try Self.pictures()
            try #require(CompiledLocale.use(name, in: path))
            let after = try Self.pictures()
            #expect(before.count == after.count && before.count >= 10)
            for (name, picture) in before { #expect(after[name] == picture, "\(name)") }
        }
    }

    /// Returns the sizes and bytes of images, by name. Some images are encoded and decoded. Others are drawn from an
    /// SVG document that contains decimal numbers.
    private static func pictures() throws -> [String: [UInt8]] {
        var result: [String: [UInt8]] = [:]
        func add(_ name: String, _ image: Image) {
            let size = [UInt8(image.pixelSize.width), UInt8(image.pixelSize.height)]
            result[name] = size + image.pixels.withUnsafeBytes { Array($0) }
        }
        let picture = try Samples.picture()
        let coders: [(any ImageCoder, ImageFormat)] = [
            (ImageTIFFCoder.shared, .tiff), (ImageAVIFCoder.shared, .avif), (ImageJPEGXLCoder.shared, .jpegXL),
            (ImageHEICCoder.shared, .heic),
        ]
        let shared = ImageCodersManager.shared
        for format in [ImageFormat.png, .jpeg, .gif, .webP, .bmp] {
            let file = try shared.encode(picture, format: format, options: EncodingOptions())
            add("\(format)", try shared.decode(file, options: DecodingOptions()))
        }
        for (coder, format) in coders where coder.canEncode(to: format) {
            var options = EncodingOptions()
            options.quality = 0.85
            let file = try coder.encode(picture, format: format, options: options)
            add("\(format)", try coder.decode(file, options: DecodingOptions()))
        }
        let documents = [
            "attributes":
                #"<svg xmlns="http://www.w3.org/2000/svg" width="10.5mm" height="4.25mm" viewBox="0.5 0.25 10.5 4.25"><rect x="1.5" y=".75" width="2.5e0" height="1.25" fill-opacity="0.5" transform="rotate(12.5) scale(1.25,0.75)"/></svg>"#,
            "style":
                #"<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><style>path { stroke-width: 1.5px; fill: none; STROKE: RGB(12.5%, 50%, 10%); OPACITY: .5 }</style><path d="M1.5,2.5L8.5 9.75 12.25,3.5" stroke-dasharray="1.5,.5"/></svg>"#,
        ]
        for (name, text) in documents {
            add("svg \(name)", try ImageSVGCoder.shared.decode(Data(text.utf8), options: DecodingOptions()))
        }
        let blurred = try #require(ImageBlurTransformer(radius: 1.5).transformedImage(with: picture, forKey: "a"))
        add("blur", blurred)
        return result
    }
}
