// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Names that SwiftCrossUI, Adwaita for Swift and SDWebImageSwiftUI declare as well; a test compiles code that uses both.

public struct Image { public init() {} }
public struct Button { public init() {} }
/// SDWebImageSwiftUI declares this type: where it is imported, `WebImage.Image` means a member of it.
public struct WebImage { public init() {} }
