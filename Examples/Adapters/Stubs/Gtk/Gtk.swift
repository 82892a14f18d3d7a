// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The declarations of SwiftCrossUI's Gtk module that the adapter uses, without implementation.
public enum Orientation { case horizontal, vertical }

@MainActor open class Widget {
    public var opaquePointer: OpaquePointer? { nil }
    init() {}
}

open class Box: Widget {
    public init(orientation: Orientation = .vertical, spacing: Int = 0) { super.init() }
}
