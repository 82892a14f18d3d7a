import CPeers
import Foundation
import WebImage
import WebImageAVIF
import WebImageHEIF
import WebImageJXL
import WebImageSVG
import WebImageTIFF

/// Finds the input pictures of the scenarios, or generates them.
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

    /// Returns the path of an input file in ``folder`` or in its sibling folder `sdwebimage`.
    ///
    /// If neither folder has the file, the function generates it in ``kept``. libvips writes the special
    /// JPEGs such as `photo-cmyk.jpg`. Our library encodes other formats, from a photo of 6 MP if the name
    /// contains `6mp`, otherwise from a photo of 1 MP. Throws for any other name.
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

    /// A folder for generated files. It is not removed when this process ends, so that later runs and child
    /// processes reuse the files.
    static let kept: URL = {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("webimage-benchmarks-\(getuid())")
        try? FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        return place
    }()

    /// Encodes a photo into a file in ``kept`` unless the file exists, and returns its path. Child processes
    /// find the file there.
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
        // Write to another name and rename the file. Otherwise a process that is stopped while writing would
        // leave an incomplete file, which later runs would use.
        let part = file.appendingPathExtension("\(getpid())")
        let status = photo.withBytes { peer_vips_write_jpeg($0, photo.count, kind, part.path) }
        guard status == 0, rename(part.path, file.path) == 0 else { throw ScenarioError.missing(name) }
        return file
    }
}
