package import WebImageCore

/// Receives the pixel size of an image as soon as the image's header has arrived. `receive` can be called on any thread
/// and more than once.
package final class PixelSizeReceiver: Sendable {
    let receive: @Sendable (PixelSize) -> Void

    package init(_ receive: @escaping @Sendable (PixelSize) -> Void) { self.receive = receive }
}

extension WebImageContextOption {
    /// ``PixelSizeReceiver``: receives the pixel size that the image has before transformers run. A load with this key
    /// examines the received bytes during the download.
    package static let pixelSizeReceiver = WebImageContextOption(rawValue: "pixelSizeReceiver")
}
