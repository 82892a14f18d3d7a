import CWebImageGalleryShim

/// Connects Swift closures to GTK events that have texts or numbers as arguments, not objects. The closures are never
/// released.
@MainActor enum Events {
    private final class Box<Handler>: Sendable where Handler: Sendable {
        let handler: Handler
        init(_ handler: Handler) { self.handler = handler }
        static func of(_ pointer: UnsafeMutableRawPointer) -> Box {
            Unmanaged.fromOpaque(pointer).takeUnretainedValue()
        }
        var pointer: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }
    }

    typealias TextHandler = @MainActor @Sendable (String) -> Void
    typealias KeyHandler = @MainActor @Sendable (_ key: UInt32, _ modifiers: UInt32) -> Bool
    typealias WheelHandler = @MainActor @Sendable (_ amount: Double, _ modifiers: UInt32) -> Bool

    static func onDrop(_ widget: OpaquePointer, _ handler: @escaping TextHandler) {
        gallery_on_drop(
            widget,
            { box, text in
                let text = String(cString: text)
                let handler = Box<TextHandler>.of(box).handler
                MainActor.assumeIsolated { handler(text) }
            }, Box<TextHandler>(handler).pointer)
    }

    static func onKey(_ widget: OpaquePointer, _ handler: @escaping KeyHandler) {
        gallery_on_key(
            widget,
            { box, key, modifiers in
                let handler = Box<KeyHandler>.of(box).handler
                return MainActor.assumeIsolated { handler(key, modifiers) }
            }, Box<KeyHandler>(handler).pointer)
    }

    static func onWheel(_ widget: OpaquePointer, _ handler: @escaping WheelHandler) {
        gallery_on_wheel(
            widget,
            { box, amount, modifiers in
                let handler = Box<WheelHandler>.of(box).handler
                return MainActor.assumeIsolated { handler(amount, modifiers) }
            }, Box<WheelHandler>(handler).pointer)
    }

    static func chooseFile(_ window: OpaquePointer, _ title: String, _ handler: @escaping TextHandler) {
        gallery_choose_file(
            window, title,
            { box, text in
                let text = String(cString: text)
                let handler = Box<TextHandler>.of(box).handler
                MainActor.assumeIsolated { handler(text) }
            }, Box<TextHandler>(handler).pointer)
    }
}
