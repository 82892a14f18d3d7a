// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Names that SwiftCrossUI, Adwaita for Swift and SDWebImageSwiftUI declare as well, for a test of what compiles beside them.

public struct Image { public init() {} }
public struct Button { public init() {} }
/// SDWebImageSwiftUI has a type of this name: `WebImage.Image` is a member of it wherever it is imported.
public struct WebImage { public init() {} }
