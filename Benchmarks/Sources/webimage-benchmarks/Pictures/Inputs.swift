import CPeers
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

    /// Returns a file of the folder or of its sibling `sdwebimage`. If neither has the file, our library encodes a
    /// photo in that format (6 MP if the name says so, otherwise 1 MP), or libvips writes the photo as that kind of
    /// JPEG.
    func file(_ name: String) throws -> URL {
        let beside = folder.deletingLastPathComponent().appendingPathComponent("sdwebimage")
        for place in [folder, beside] {
            let file = place.appendingPathComponent(name)
            if FileManager.default.fileExists(atPath: file.path) { return file }
        }
        let formats: [String: ImageFormat] = [
            "photo.jxl": .jpegXL, "photo.tiff": .tiff, "photo.bmp": .bmp, "photo.gif": .gif, "photo-6mp.jxl": .jpegXL,
        ]
        let kinds = [
            "photo-444.jpg": PEER_JPEG_444, "photo-grey.jpg": PEER_JPEG_GREY, "photo-cmyk.jpg": PEER_JPEG_CMYK,
            "photo-rotated.jpg": PEER_JPEG_ROTATED,
        ]
        if let kind = kinds[name] { return try written(name, kind) }
        guard let format = formats[name] else { throw ScenarioError.missing(name) }
        return try written(name, format)
    }

    func data(_ name: String) throws -> Data { try Data(contentsOf: file(name)) }

    /// A folder for generated files that remains after this process has ended.
    static let kept: URL = {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("webimage-benchmarks-\(getuid())")
        try? FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        return place
    }()

    /// Writes the picture to a folder in which the processes started by this one find it.
    private func written(_ name: String, _ format: ImageFormat) throws -> URL {
        let file = Self.kept.appendingPathComponent(name)
        guard !FileManager.default.fileExists(atPath: file.path) else { return file }
        let coders = ImageCodersManager.shared
        let isLarge = name.contains("6mp")
        let photo = try coders.decode(
            data(isLarge ? "photo.jpg" : "photo-1000x1000.jpg"), options: DecodingOptions())
        var options = EncodingOptions()
        if isLarge { options.quality = 0.85 }
        try coders.encode(photo, format: format, options: options).write(to: file, options: .atomic)
        return file
    }

    private func written(_ name: String, _ kind: peer_jpeg_kind) throws -> URL {
        let file = Self.kept.appendingPathComponent(name)
        guard !FileManager.default.fileExists(atPath: file.path) else { return file }
        let photo = try data("photo.jpg")
        // Write under another name and rename the file, so that a stopped process leaves no incomplete file.
        let part = file.appendingPathExtension("\(getpid())")
        let status = photo.withBytes { peer_vips_write_jpeg($0, photo.count, kind, part.path) }
        guard status == 0, rename(part.path, file.path) == 0 else { throw ScenarioError.missing(name) }
        return file
    }
}
