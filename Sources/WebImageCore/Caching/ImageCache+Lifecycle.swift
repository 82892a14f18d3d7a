import Foundation

/// What an application says about itself: Linux has no notifications for it.
extension ImageCache {
    /// To be called before the process ends: removes what is too old and too much if the config says so, and waits until
    /// everything stored outlives the process. Blocks.
    public func applicationWillTerminate() {
        let removes = config.shouldRemoveExpiredDataWhenTerminate
        disk.sync { disk in
            if removes { disk?.removeExpiredData() }
            disk?.flush()
        }
    }

    /// To be called when nobody sees the application for a while: removes what is too old and too much if the config says
    /// so, in the background.
    public func applicationDidEnterBackground() {
        guard config.shouldRemoveExpiredDataWhenEnterBackground else { return }
        disk.async { $0?.removeExpiredData() }
    }
}

extension Image {
    /// ``extendedObject`` as a type of the caller's, also after it was read back from disk, where it stands as JSON.
    public final func extendedObject<Object: Decodable>(as type: Object.Type) -> Object? {
        if let object = extendedObject as? Object { return object }
        return (extendedObject as? Data).flatMap { try? JSONDecoder().decode(type, from: $0) }
    }
}
