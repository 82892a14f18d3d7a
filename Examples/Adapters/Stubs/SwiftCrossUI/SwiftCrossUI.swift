// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What the adapter uses of SwiftCrossUI, declared and not implemented.
@MainActor public protocol View { associatedtype Content }
