import CPeers
import Foundation
import WebImage
import WebImageAVIF
import WebImageHEIF
import WebImageJXL
import WebImageSVG
import WebImageTIFF

/// Finds or generates the input pictures of the scenarios.
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

    /// Returns the path of an input file in ``folder`` or in the folder `sdwebimage` beside ``folder``.
    ///
    /// If neither folder contains the file, the function generates the file in ``kept``. libvips writes special JPEGs
    /// such as `photo-cmyk.jpg`. Our library writes the other formats. If the name contains `6mp`, the source is a
    /// photo of 6 MP. Otherwise the source is a photo of 1 MP. Throws for all names that the function cannot generate.
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

    /// A folder for generated files. The folder stays when this process ends, so that later runs and child processes
    /// can reuse the files.
    static let kept: URL = {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("webimage-benchmarks-\(getuid())")
        try? FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        return place
    }()

    /// Returns the path of a file in ``kept``. If the file does not exist, first encodes a photo and writes the file.
    /// Child processes use the same file.
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
        // Write the file under a temporary name and then rename it. Otherwise a process that is stopped during the
        // write would leave an incomplete file, and later runs would use this file.
        let part = file.appendingPathExtension("\(getpid())")
        let status = photo.withBytes { peer_vips_write_jpeg($0, photo.count, kind, part.path) }
        guard status == 0, rename(part.path, file.path) == 0 else { throw ScenarioError.missing(name) }
        return file
    }
}
