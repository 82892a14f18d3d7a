public import Foundation

/// Turns the bytes that came into the bytes of the picture.
///
/// Called on a queue of the download's with the whole body; a load with a decryptor has no partial images.
@preconcurrency public protocol WebImageDownloaderDecryptorProtocol: Sendable {
    /// The picture's bytes; nil ends the load with `.badImageData`.
    func decryptedData(with data: Data, response: WebImageResponse?) -> Data?
}

/// A decryptor made of a block.
public final class WebImageDownloaderDecryptor: WebImageDownloaderDecryptorProtocol {
    private let block: @Sendable (Data, WebImageResponse?) -> Data?

    /// A decryptor that runs a block.
    public init(block: @escaping @Sendable (Data, WebImageResponse?) -> Data?) { self.block = block }

    /// Decodes base64, passing over characters that are none of its alphabet.
    public static let base64 = WebImageDownloaderDecryptor { data, _ in
        Data(base64Encoded: data, options: .ignoreUnknownCharacters)
    }

    /// What the block says.
    public func decryptedData(with data: Data, response: WebImageResponse?) -> Data? { block(data, response) }
}
