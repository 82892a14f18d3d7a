import CWebImageSandbox
import Foundation
import WebImageCore
import WebImageGraphics

/// The program of a decoder process. ``CWebImageSandbox`` calls it in place of `main`.
@_cdecl("webimage_sandbox_worker_main")
func webimageSandboxWorkerMain() -> Int32 {
    guard let worker = SandboxDecoder() else { return 125 }
    return worker.run()
}

/// Decodes pictures in a restricted process. Single-threaded.
private struct SandboxDecoder {
    private let profile: SandboxProfile
    private let window: UnsafeMutableRawPointer

    init?() {
        let environment = ProcessInfo.processInfo.environment
        guard let profile = environment["WEBIMAGE_SANDBOX_WORKER"].flatMap(SandboxProfile.init(rawValue:)),
            let memory = mmap(
                nil, SandboxWindow.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, webimage_sandbox_window_descriptor, 0),
            memory != MAP_FAILED
        else { return nil }
        self.profile = profile
        window = memory
    }

    func run() -> Int32 {
        var protections = webimage_sandbox_protections()
        webimage_sandbox_prepare(&protections)
        MainThread.attachNoThread()
        // SVG asks this list for embedded pictures.
        ImageCodersManager.shared.coders = profile.coders
        // Load the libraries and let them read their configuration while they still can.
        let samples = SandboxSamples.make(profile)
        SandboxSamples.decode(samples, with: profile.coders)
        let bytes = ProcessInfo.processInfo.environment["WEBIMAGE_SANDBOX_BYTES"].flatMap { UInt64($0) } ?? 0
        guard webimage_sandbox_lock(profile.features, bytes, &protections) == nil else { return 124 }
        // A system call that a newer library needs fails here, and not at a user's picture.
        SandboxSamples.decode(samples, with: profile.coders)
        send(
            .ready(
                SandboxProtections(
                    hasFilter: protections.filter, landlock: Int(protections.landlock),
                    hasNamespaces: protections.namespaces)))
        while let (bytes, descriptor) = receive() {
            guard let request = SandboxRequest(bytes) else { return 123 }
            switch request {
            case .decode(let id, let byteCount, let isInWindow, let options):
                decode(id: id, byteCount: byteCount, file: isInWindow ? nil : descriptor, options)
            case .attempt(let id, let number, let host):
                send(.attempted(id: id, errno: Int(webimage_sandbox_try(Int32(clamping: number), host))))
            }
            if descriptor >= 0 { close(descriptor) }
        }
        return 0
    }

    private func decode(id: UInt64, byteCount: Int, file: Int32?, _ options: DecodingOptions) {
        do throws(WebImageError) {
            let data = try encodedBytes(byteCount, file: file)
            guard let coder = profile.coders.last(where: { $0.canDecode(from: data) }) else {
                throw WebImageError(.unsupportedFormat, stage: .decode)
            }
            deliver(try coder.decode(data, options: options), id: id)
        } catch {
            send(.failed(id: id, SandboxFailure(error)))
        }
    }

    /// The bytes of a request, without a copy. They must not be used after the answer: the host writes the next picture
    /// to the same place.
    private func encodedBytes(_ byteCount: Int, file: Int32?) throws(WebImageError) -> Data {
        guard let file else {
            guard byteCount <= SandboxWindow.inputBytes else { throw WebImageError(.badImageData, stage: .decode) }
            return Data(bytesNoCopy: window, count: byteCount, deallocator: .none)
        }
        guard byteCount > 0, let memory = mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, file, 0), memory != MAP_FAILED
        else { throw WebImageError(.outOfMemory, stage: .decode) }
        return Data(bytesNoCopy: memory, count: byteCount, deallocator: .unmap)
    }

    /// Sends the facts about a picture, and its pixels through the two slots of the window. The host returns one byte
    /// for each part that it has copied while a further part exists.
    private func deliver(_ image: Image, id: UInt64) {
        let picture = SandboxPicture(image)
        if let profile = image.colorProfile?.iccData {
            guard profile.count <= SandboxPicture.mostProfileBytes else {
                return send(.failed(id: id, SandboxFailure(.badData("ICC", "the profile is too large"))))
            }
            profile.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(start: window, count: profile.count).copyMemory(from: $0)
            }
        }
        image.pixels.withUnsafeBytes { pixels in
            let count = SandboxWindow.partCount(pixels.count)
            for part in 0..<count {
                if part >= 2 { guard receive() != nil else { return } }
                let range = SandboxWindow.range(ofPart: part, of: pixels.count)
                (window + SandboxWindow.offset(ofPart: part)).copyMemory(
                    from: pixels.baseAddress! + range.lowerBound, byteCount: range.count)
                if part == min(1, count - 1) { send(.image(id: id, picture)) }
                if part >= 2 { send(.nextPart(id: id)) }
            }
        }
    }

    private func send(_ answer: SandboxAnswer) {
        answer.encoded.withUnsafeBytes {
            _ = webimage_sandbox_send(webimage_sandbox_socket_descriptor, $0.baseAddress, $0.count, -1)
        }
    }

    /// Waits for a message. Nil when the host has closed the connection.
    private func receive() -> (bytes: Data, descriptor: Int32)? {
        var bytes = Data(count: SandboxRequest.size)
        var descriptor: Int32 = -1
        let count = bytes.withUnsafeMutableBytes {
            webimage_sandbox_receive(webimage_sandbox_socket_descriptor, $0.baseAddress, $0.count, &descriptor, -1)
        }
        return count > 0 ? (bytes.prefix(count), descriptor) : nil
    }
}

private let webimage_sandbox_socket_descriptor = Int32(webimage_sandbox_socket)
private let webimage_sandbox_window_descriptor = Int32(webimage_sandbox_window)

/// Small pictures that a worker decodes before and after it is locked.
private enum SandboxSamples {
    private static let svg = """
        <svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><defs><filter id="f"><feGaussianBlur \
        stdDeviation="1"/></filter></defs><rect width="8" height="8" filter="url(#f)"/><text y="8">a</text></svg>
        """

    static func make(_ profile: SandboxProfile) -> [Data] {
        if profile == .svg { return [Data(svg.utf8)] }
        guard let pixels = try? PixelBuffer(width: 32, height: 32, format: .bgra8Premultiplied) else { return [] }
        pixels.withUnsafeMutableBytes { bytes in
            for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: index &* 7) }
        }
        let image = Image(pixels: pixels)
        let formats: [ImageFormat] = [.jpeg, .png, .gif, .webP, .bmp, .avif, .jpegXL, .tiff, .heic]
        return formats.compactMap { format in
            profile.coders.last { $0.canEncode(to: format) }.flatMap {
                try? $0.encode(image, format: format, options: EncodingOptions())
            }
        }
    }

    /// Decodes each picture at full size and as a thumbnail, half of it, and something that is no picture.
    static func decode(_ samples: [Data], with coders: [any DetailedImageCoder]) {
        var thumbnail = DecodingOptions()
        thumbnail.thumbnailPixelSize = PixelSize(width: 7, height: 7)
        for sample in samples {
            for data in [sample, sample.prefix(sample.count / 2)] {
                guard let coder = coders.last(where: { $0.canDecode(from: data) }) else { continue }
                for options in [DecodingOptions(), thumbnail] { _ = try? coder.decode(data, options: options) }
                _ = try? coder.imageInfo(of: data, limits: .default)
            }
        }
        for coder in coders { _ = try? coder.decode(Data("no picture".utf8), options: DecodingOptions()) }
    }
}
