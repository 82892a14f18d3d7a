import Foundation

/// A coder and the roles that it implements. An ``ImageCodersManager`` asks each coder once, when the coder is added.
package final class ResolvedCoder: Sendable {
    package let role: any ImageCoder
    let detailed: (any DetailedImageCoder)?
    let animated: (any AnimatedImageCoder)?
    let detailedAnimated: (any DetailedAnimatedImageCoder)?
    let frameEncoding: (any FrameEncodingImageCoder)?
    let propertiesReading: (any ImagePropertiesReading)?
    package let progressive: (any ProgressiveImageCoder)?

    package init(_ role: any ImageCoder) {
        self.role = role
        detailed = role as? any DetailedImageCoder
        animated = role as? any AnimatedImageCoder
        detailedAnimated = role as? any DetailedAnimatedImageCoder
        frameEncoding = role as? any FrameEncodingImageCoder
        propertiesReading = role as? any ImagePropertiesReading
        progressive = role as? any ProgressiveImageCoder
    }
}
