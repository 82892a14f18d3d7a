public import Foundation
public import WebImageCore

/// Converts the fetched bytes into the bytes of the image.
///
/// The downloader calls the decryptor on a queue of the download, with the whole body. A load with a decryptor has no
/// partial images.
@preconcurrency public protocol WebImageDownloaderDecryptorProtocol: Sendable {
    /// Returns the bytes of the image; nil ends the load with `.badImageData`.
    func decryptedData(with data: Data, response: WebImageResponse?) -> Data?
}

/// A decryptor that is created from a block.
public final class WebImageDownloaderDecryptor: WebImageDownloaderDecryptorProtocol {
    private let block: @Sendable (Data, WebImageResponse?) -> Data?

    /// Creates a decryptor that runs a block.
    public init(block: @escaping @Sendable (Data, WebImageResponse?) -> Data?) { self.block = block }

    /// A decryptor that decodes base64 text. It ignores characters that are not in the base64 alphabet.
    public static let base64 = WebImageDownloaderDecryptor { data, _ in
        Data(base64Encoded: data, options: .ignoreUnknownCharacters)
    }

    /// Returns the result of the block.
    public func decryptedData(with data: Data, response: WebImageResponse?) -> Data? { block(data, response) }
}
