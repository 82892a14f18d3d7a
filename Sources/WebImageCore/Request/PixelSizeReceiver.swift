/// Told the size that a picture will have, as soon as the header's bytes are there; on any thread, perhaps more than once.
package final class PixelSizeReceiver: Sendable {
    let receive: @Sendable (PixelSize) -> Void

    package init(_ receive: @escaping @Sendable (PixelSize) -> Void) { self.receive = receive }
}

extension WebImageContextOption {
    /// ``PixelSizeReceiver``: told the size before transformers; such a load looks at its bytes while they arrive.
    package static let pixelSizeReceiver = WebImageContextOption(rawValue: "pixelSizeReceiver")
}
