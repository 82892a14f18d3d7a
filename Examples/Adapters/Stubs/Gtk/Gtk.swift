// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What the adapter uses of SwiftCrossUI's Gtk module, declared and not implemented.
public enum Orientation { case horizontal, vertical }

@MainActor open class Widget {
    public var opaquePointer: OpaquePointer? { nil }
    init() {}
}

open class Box: Widget {
    public init(orientation: Orientation = .vertical, spacing: Int = 0) { super.init() }
}
