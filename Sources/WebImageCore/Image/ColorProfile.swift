public import Foundation

/// The ICC profile of the pixels' colours; absent means sRGB.
public struct ColorProfile: Sendable, Hashable {
    /// The profile as stored in the file (ICC.1:2022).
    public let iccData: Data

    /// Wraps the bytes of an ICC profile without reading them.
    public init(iccData: Data) {
        self.iccData = iccData
    }
}
