// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// SwiftCrossUI, Adwaita for Swift or SDWebImageSwiftUI declares each of these names. A test compiles code that imports
// this module and the package.

public struct Image { public init() {} }
public struct Button { public init() {} }
/// SDWebImageSwiftUI declares a type with this name. In a file that imports this type, `WebImage.Image` means a member
/// of the type and not the `Image` of the module `WebImage`.
public struct WebImage { public init() {} }
