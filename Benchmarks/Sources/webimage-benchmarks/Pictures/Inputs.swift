import Foundation
import WebImage
import WebImageAVIF
import WebImageHEIF
import WebImageJXL
import WebImageSVG
import WebImageTIFF

/// The input pictures.
struct Inputs {
    /// The `bench` folder of the conformance data.
    let folder: URL

    /// Registers the coders of all formats.
    init(folder: URL) {
        self.folder = folder
        let coders: [any ImageCoder] = [
            ImageAVIFCoder.shared, ImageHEICCoder.shared, ImageJPEGXLCoder.shared, ImageSVGCoder.shared,
            ImageTIFFCoder.shared,
        ]
        for coder in coders { ImageCodersManager.shared.addCoder(coder) }
    }

    /// A file of the folder or of its sibling `sdwebimage`. For a format in neither, a photo of 1 MP encoded by our
    /// library.
    func file(_ name: String) throws -> URL {
        let beside = folder.deletingLastPathComponent().appendingPathComponent("sdwebimage")
        for place in [folder, beside] {
            let file = place.appendingPathComponent(name)
            if FileManager.default.fileExists(atPath: file.path) { return file }
        }
        let formats: [String: ImageFormat] = [
            "photo.jxl": .jpegXL, "photo.tiff": .tiff, "photo.bmp": .bmp, "photo.gif": .gif,
        ]
        guard let format = formats[name] else { throw ScenarioError.missing(name) }
        return try written(name, format)
    }

    func data(_ name: String) throws -> Data { try Data(contentsOf: file(name)) }

    /// A folder that outlives this process.
    static let kept: URL = {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("webimage-benchmarks-\(getuid())")
        try? FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        return place
    }()

    /// Stored in a folder for the processes that this one starts.
    private func written(_ name: String, _ format: ImageFormat) throws -> URL {
        let file = Self.kept.appendingPathComponent(name)
        guard !FileManager.default.fileExists(atPath: file.path) else { return file }
        let coders = ImageCodersManager.shared
        let photo = try coders.decode(data("photo-1000x1000.jpg"), options: DecodingOptions())
        try coders.encode(photo, format: format, options: EncodingOptions()).write(to: file, options: .atomic)
        return file
    }
}
