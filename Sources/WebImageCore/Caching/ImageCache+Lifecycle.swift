import Foundation

/// Events that the application reports itself: Linux has no notifications for them.
extension ImageCache {
    /// Call this before the process ends. Removes expired entries and trims to the size limit if the config says so,
    /// then waits until all stored data is safe on disk. Blocks.
    public func applicationWillTerminate() {
        let removes = config.shouldRemoveExpiredDataWhenTerminate
        disk.sync { disk in
            if removes { disk?.removeExpiredData() }
            disk?.flush()
        }
    }

    /// Call this when the application is no longer visible. Removes expired entries and trims to the size limit in the
    /// background, if the config says so.
    public func applicationDidEnterBackground() {
        guard config.shouldRemoveExpiredDataWhenEnterBackground else { return }
        disk.async { $0?.removeExpiredData() }
    }
}

extension Image {
    /// Returns ``extendedObject`` as the given type, also after it was read back from disk, where it is stored as JSON.
    public final func extendedObject<Object: Decodable>(as type: Object.Type) -> Object? {
        if let object = extendedObject as? Object { return object }
        return (extendedObject as? Data).flatMap { try? JSONDecoder().decode(type, from: $0) }
    }
}
