import Foundation
public import WebImageCore

/// Events of the application's life cycle. The application must report these events, because Linux sends no
/// notifications.
extension ImageCache {
    /// Call this method before the process ends. Removes expired entries and trims to the size limit if
    /// ``ImageCacheConfig/shouldRemoveExpiredDataWhenTerminate`` is true. Blocks the calling thread until this is
    /// done and all stored data is safe on disk.
    public func applicationWillTerminate() {
        let removes = config.shouldRemoveExpiredDataWhenTerminate
        disk.sync { disk in
            if removes { disk?.removeExpiredData() }
            disk?.flush()
        }
    }

    /// Call this method when the application is no longer visible. If
    /// ``ImageCacheConfig/shouldRemoveExpiredDataWhenEnterBackground`` is true, the disk queue removes expired
    /// entries and trims to the size limit.
    public func applicationDidEnterBackground() {
        guard config.shouldRemoveExpiredDataWhenEnterBackground else { return }
        disk.async { $0?.removeExpiredData() }
    }
}

extension Image {
    /// Returns ``extendedObject`` as the given type. If the image was read from disk, decodes the object from the
    /// stored JSON.
    public final func extendedObject<Object: Decodable>(as type: Object.Type) -> Object? {
        if let object = extendedObject as? Object { return object }
        return (extendedObject as? Data).flatMap { try? JSONDecoder().decode(type, from: $0) }
    }
}
