public import Foundation

// On Linux, Foundation can cast an `NSNumber` in an `Any` to `Double` and `Int`, but not to `CGFloat`. Programs that
// were written for SDWebImage need the cast to `CGFloat`, for example in `options[.decodeScaleFactor] as? CGFloat`.
extension CGFloat: @retroactive _ObjectiveCBridgeable {
    /// The number as an `NSNumber`.
    public func _bridgeToObjectiveC() -> NSNumber { NSNumber(value: Double(self)) }
    /// Converts an `NSNumber` to a `CGFloat`.
    public static func _forceBridgeFromObjectiveC(_ source: NSNumber, result: inout CGFloat?) {
        result = CGFloat(source.doubleValue)
    }
    /// Converts an `NSNumber` to a `CGFloat`.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSNumber, result: inout CGFloat?) -> Bool {
        result = CGFloat(source.doubleValue)
        return true
    }
    /// Converts an `NSNumber` to a `CGFloat`. Returns 0 for nil.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSNumber?) -> CGFloat {
        CGFloat(source?.doubleValue ?? 0)
    }
}
