import CWebImageSandboxAttempts
import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageCore
@testable import WebImageSandbox

func gradient(width: Int, height: Int, phase: Int = 0) throws -> Image {
    try Image.generated(width: width, height: height) { x, y in
        (UInt8(truncatingIfNeeded: x &+ phase), UInt8(truncatingIfNeeded: y), UInt8(truncatingIfNeeded: x &+ y), 255)
    }
}

/// The pixels without the padding of the rows, whose bytes are undefined.
func rows(_ image: Image) -> Data {
    let buffer = image.pixels
    return buffer.withUnsafeBytes { bytes in
        var rows = Data()
        for row in 0..<buffer.height {
            let start = row * buffer.bytesPerRow
            rows.append(contentsOf: bytes[start..<start + buffer.width * buffer.format.bytesPerPixel])
        }
        return rows
    }
}

/// A GIF, APNG or WebP animation.
func animation(_ format: ImageFormat, frameCount: Int = 5, width: Int = 60, height: Int = 40) throws -> Data {
    let frames = try (0..<frameCount).map {
        ImageFrame(image: try gradient(width: width, height: height, phase: 40 * $0), duration: 0.05 * Double($0 + 1))
    }
    return try ImageCodersManager(coders: SandboxProfile.basic.coders).encode(
        frameCount: frameCount, loopCount: 3, format: format, options: EncodingOptions()
    ) { frames[$0] }
}

extension SandboxProfile {
    var coders: [any ImageCoder] { types.map { $0.shared } }

    func workerCoder(of data: Data) throws -> WorkerCoder {
        try #require(types.last { $0.shared.canDecode(from: data) } ?? types.last).workerCoder
    }
}

extension SandboxWorker {
    func decode(_ data: Data, options: DecodingOptions = DecodingOptions()) throws -> Image {
        try image(try profile.workerCoder(of: data).request(.decode, options), .data(data)).image
    }
}

extension SandboxPool {
    func decode(
        _ data: Data, profile: SandboxProfile = .basic, owner: FileOwner = .shared,
        options: DecodingOptions = DecodingOptions()
    ) throws -> Image {
        let coder = try profile.workerCoder(of: data)
        return try owner.run { () throws(WebImageError) in
            try SandboxAnimation.decode(data, pool: self, coder: coder, options: options).image
        }
    }
}

/// The attempts and faults that only the test program contains.
enum Attempts {
    /// Makes every attempt in a worker that has decoded a file.
    static func expectRefusals(after data: Data, _ profile: SandboxProfile) throws {
        try expectRefusals(profile) { worker in _ = try worker.decode(data) }
    }

    /// Makes every attempt in a worker that has done some work.
    static func expectRefusals(_ profile: SandboxProfile, after work: (SandboxWorker) throws -> Void) throws {
        var worker = try SandboxWorker(profile)
        try work(worker)
        for number in 0..<count {
            let name = name(number)
            switch worker.attempt(number) {
            case .worked: Issue.record("\(name) worked")
            case .refused(let errno):
                #expect([EPERM, EACCES, ENOSYS, ENOTTY, EBADF, ENOTSOCK].contains(Int32(errno)), "\(name): \(errno)")
            case .ended:
                worker = try SandboxWorker(profile)
                try work(worker)
            }
        }
    }

    static let count = Int(webimage_sandbox_attempt_count())

    static func name(_ number: Int) -> String {
        webimage_sandbox_attempt_name(Int32(number)).map { String(cString: $0) } ?? "?"
    }

    static func fault(_ name: String) throws -> Int {
        let all = count..<count + Int(webimage_sandbox_fault_count())
        return try #require(all.first { Self.name($0) == name })
    }
}

func openDescriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}
