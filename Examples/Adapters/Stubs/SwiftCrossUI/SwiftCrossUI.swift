// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The declarations of SwiftCrossUI that the adapter uses, without implementation.
@MainActor public protocol View { associatedtype Content }
