import Foundation
import WebImage

/// Where `webimage load --out` writes: a file per picture, named after its URL, never outside the folder.
final class OutputFolder: Sendable {
    private let path: String
    private let taken = Locked<Set<String>>([])

    init(path: String) throws(WebImageError) {
        self.path = path
        try OutputFile.makeFolder(path)
    }

    /// Writes what was fetched, or, for a picture that was made smaller, the smaller one; returns the file's path.
    func write(_ result: WebImageResult, for url: URL) async throws(WebImageError) -> String {
        if let data = result.data {
            let file = path + "/" + name(for: url, extension: ImageFormat(sniffing: data).name ?? "bin")
            try OutputFile.write(data, to: file)
            return file
        }
        let source = result.image.imageFormat
        let format = ImageCodersManager.shared.canEncode(to: source) ? source : result.image.hasAlpha ? .png : .jpeg
        var options = EncodingOptions()
        options.quality = 0.85
        let data = try ImageCodersManager.shared.encode(result.image, format: format, options: options)
        let file = path + "/" + name(for: url, extension: format.name ?? "bin")
        try OutputFile.write(data, to: file)
        return file
    }

    private func name(for url: URL, extension fileExtension: String) -> String {
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-_."))
        var base = url.deletingPathExtension().lastPathComponent
        base = String(String.UnicodeScalarView(base.unicodeScalars.filter(allowed.contains)).prefix(100))
        base = base.trimmingCharacters(in: CharacterSet(charactersIn: "."))
        if base.isEmpty || url.scheme == "data" { base = "picture" }
        return taken.withLock { taken in
            var candidate = "\(base).\(fileExtension)"
            var number = 2
            while !taken.insert(candidate).inserted {
                candidate = "\(base)-\(number).\(fileExtension)"
                number += 1
            }
            return candidate
        }
    }
}

/// Files the command writes: whole or not at all.
enum OutputFile {
    static func write(_ data: Data, to path: String) throws(WebImageError) {
        try write(to: path) { descriptor throws(WebImageError) in
            let outcome = data.withUnsafeBytes { bytes in
                Result { () throws(WebImageError) in try writeAll(bytes, descriptor, path) }
            }
            try outcome.get()
        }
    }

    /// Writes rows of an image that are `rowBytes` long, without what pads them in memory.
    static func writeRows(of pixels: PixelBuffer, to path: String) throws(WebImageError) {
        let rowBytes = pixels.width * pixels.format.bytesPerPixel
        try write(to: path) { descriptor throws(WebImageError) in
            try pixels.withUnsafeBytes { bytes throws(WebImageError) in
                guard pixels.bytesPerRow != rowBytes else { return try writeAll(bytes, descriptor, path) }
                // One write a megabyte, not one a row.
                let rowsAtOnce = max(1, (1 << 20) / rowBytes)
                let packed = UnsafeMutableRawBufferPointer.allocate(byteCount: rowsAtOnce * rowBytes, alignment: 64)
                defer { packed.deallocate() }
                for first in stride(from: 0, to: pixels.height, by: rowsAtOnce) {
                    let count = min(rowsAtOnce, pixels.height - first)
                    for row in 0..<count {
                        let source = bytes.baseAddress! + (first + row) * pixels.bytesPerRow
                        memcpy(packed.baseAddress! + row * rowBytes, source, rowBytes)
                    }
                    try writeAll(UnsafeRawBufferPointer(rebasing: packed[..<(count * rowBytes)]), descriptor, path)
                }
            }
        }
    }

    static func makeFolder(_ path: String) throws(WebImageError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw WebImageError(
                .fileSystem, stage: .store,
                underlying: .message("\(path) cannot be made: \(error.localizedDescription)"),
                hint: "Name a folder that can be written.")
        }
    }

    /// To a temporary name first, so that an interrupted command leaves no half a picture.
    private static func write(
        to path: String, _ body: (Int32) throws(WebImageError) -> Void
    ) throws(WebImageError) {
        let temporary = "\(path).\(getpid()).part"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(path) }
        do throws(WebImageError) {
            try body(descriptor)
        } catch {
            close(descriptor)
            unlink(temporary)
            throw error
        }
        guard close(descriptor) == 0, rename(temporary, path) == 0 else {
            let error = failure(path)
            unlink(temporary)
            throw error
        }
    }

    private static func writeAll(
        _ bytes: UnsafeRawBufferPointer, _ descriptor: Int32, _ path: String
    ) throws(WebImageError) {
        var offset = 0
        while offset < bytes.count {
            let written = Foundation.write(descriptor, bytes.baseAddress! + offset, bytes.count - offset)
            if written < 0 {
                if errno == EINTR { continue }
                throw failure(path)
            }
            offset += written
        }
    }

    private static func failure(_ path: String) -> WebImageError {
        .posix(errno, stage: .store, url: URL(fileURLWithPath: path), hint: "Name a file that can be written.")
    }
}
