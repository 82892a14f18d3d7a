public import Foundation

/// Converts the fetched bytes into the bytes of the image.
///
/// Called with the whole body on a queue of the download. A load with a decryptor has no partial images.
@preconcurrency public protocol WebImageDownloaderDecryptorProtocol: Sendable {
    /// Returns the bytes of the image; nil ends the load with `.badImageData`.
    func decryptedData(with data: Data, response: WebImageResponse?) -> Data?
}

/// A decryptor that is created from a block.
public final class WebImageDownloaderDecryptor: WebImageDownloaderDecryptorProtocol {
    private let block: @Sendable (Data, WebImageResponse?) -> Data?

    /// Creates a decryptor that runs a block.
    public init(block: @escaping @Sendable (Data, WebImageResponse?) -> Data?) { self.block = block }

    /// Decodes base64; skips characters outside its alphabet.
    public static let base64 = WebImageDownloaderDecryptor { data, _ in
        Data(base64Encoded: data, options: .ignoreUnknownCharacters)
    }

    /// Returns the result of the block.
    public func decryptedData(with data: Data, response: WebImageResponse?) -> Data? { block(data, response) }
}
