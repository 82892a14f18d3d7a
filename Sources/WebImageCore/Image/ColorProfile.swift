public import Foundation

/// The ICC profile that defines the colours of an image. An image without profile has sRGB colours.
public struct ColorProfile: Sendable, Hashable {
    /// The bytes of the profile as stored in the image file (ICC.1:2022).
    public let iccData: Data

    /// Creates a profile from its bytes without checking them.
    public init(iccData: Data) {
        self.iccData = iccData
    }
}
