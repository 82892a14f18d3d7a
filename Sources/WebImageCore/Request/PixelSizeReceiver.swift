/// Receives the pixel size of an image as soon as the image's header has arrived. Called on any thread, possibly more
/// than once.
package final class PixelSizeReceiver: Sendable {
    let receive: @Sendable (PixelSize) -> Void

    package init(_ receive: @escaping @Sendable (PixelSize) -> Void) { self.receive = receive }
}

extension WebImageContextOption {
    /// ``PixelSizeReceiver``: receives the pixel size before transformers. A load with this key examines its bytes
    /// while they arrive.
    package static let pixelSizeReceiver = WebImageContextOption(rawValue: "pixelSizeReceiver")
}
