// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The declarations of Adwaita for Swift (adwaita-swift 0.2 and later) that the adapter uses, without implementation.
public protocol Widget {}
public protocol ViewRenderData {}
public struct WidgetData {}

public final class ViewStorage {
    public var opaquePointer: OpaquePointer?
    public var fields: [String: Any] = [:]
    public init(_ pointer: OpaquePointer?) { opaquePointer = pointer }
}

public protocol AdwaitaWidget: Widget {
    func container<Data: ViewRenderData>(data: WidgetData, type: Data.Type) -> ViewStorage
    func update<Data: ViewRenderData>(
        _ storage: ViewStorage, data: WidgetData, updateProperties: Bool, type: Data.Type)
}
