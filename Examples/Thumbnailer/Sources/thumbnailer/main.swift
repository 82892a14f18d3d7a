import Foundation
import WebImage

// Writes a small WebP of each picture into the current folder. Usage: thumbnailer SIDE FILE-OR-URL...
let arguments = Array(CommandLine.arguments.dropFirst())
guard let side = arguments.first.flatMap(Int.init), side > 0, arguments.count > 1 else {
    print("usage: thumbnailer SIDE FILE-OR-URL...")
    exit(2)
}

/// Returns a WebP image that fits into a square of `side` pixels. For an animation, the image is the first frame. The
/// image is decoded at the small size, so a large image needs little memory.
func thumbnail(of url: URL) async throws(WebImageError) -> Data {
    let image = try await WebImageManager.shared.image(
        for: url, options: .decodeFirstFrameOnly, context: [.imageThumbnailPixelSize: CGSize(width: side, height: side)]
    )
    var options = EncodingOptions()
    options.quality = 0.8
    return try ImageCodersManager.shared.encode(image, format: .webP, options: options)
}

var failed = false
for name in arguments.dropFirst() {
    guard let url = name.contains("://") ? URL(string: name) : URL(fileURLWithPath: name) else { continue }
    do {
        let target = URL(fileURLWithPath: url.deletingPathExtension().lastPathComponent + "-\(side).webp")
        try await thumbnail(of: url).write(to: target)
        print(target.lastPathComponent)
    } catch {
        failed = true
        FileHandle.standardError.write(Data("\(name): \(error)\n".utf8))
    }
}
// Wait until stored data is on disk before the process ends.
_ = await WebImageManager.shared.shutdown()
exit(failed ? 1 : 0)
