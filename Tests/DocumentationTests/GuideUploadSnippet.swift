// snippet: guide-upload
public import Foundation
import WebImage

/// Stores the avatar of a user in two sizes.
public struct AvatarUploads: Sendable {
    /// The status, and the words for the user.
    public typealias Answer = (status: Int, words: String)

    private let folder: URL
    private let processor = ImageUploadProcessor(variants: [
        .init("large", size: PixelSize(width: 512, height: 512), mode: .aspectFill),
        .init("small", size: PixelSize(width: 64, height: 64), mode: .aspectFill, format: .webP),
    ])

    /// The most bytes that a framework should receive.
    public var maxBytes: Int { processor.limits.maxEncodedBytes }

    /// - Parameter folder: Receives a folder for each user.
    public init(folder: URL) { self.folder = folder }

    /// - Parameter user: The name of the user's folder, from the session and never from the request.
    public func store(_ body: Data, user: String) async -> Answer {
        let upload: ImageUploadProcessor.Result
        do throws(WebImageError) {
            upload = try await processor.process(body)
        } catch {
            // Log `error.description`. It can name your settings, so the answer has only the kind of the failure.
            let status =
                switch error.code {
                case .limitExceeded: 413
                case .badImageData, .unsupportedFormat: 415
                default: 500
                }
            return (status, error.code.words)
        }
        do {
            let place = folder.appendingPathComponent(user)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            for (name, image) in upload.images {
                // The name is that of the variant; the ending follows the format that was written.
                let file = place.appendingPathComponent("\(name).\(image.format.name ?? "bin")")
                try image.data.write(to: file, options: .atomic)
            }
            return (201, "stored")
        } catch {
            return (500, "the picture could not be stored")
        }
    }
}
// end
