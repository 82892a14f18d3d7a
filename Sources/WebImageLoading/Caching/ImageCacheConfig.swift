public import Foundation
package import WebImageCore

/// The configuration of a cache: limits, ages and classes. This is a value type. To change the configuration of an
/// existing cache, assign a changed copy to ``ImageCache/config``.
public struct ImageCacheConfig: Sendable {
    /// The date from which the age of an entry is counted.
    public enum ExpireType: Int, Sendable {
        /// The date of the last read.
        case accessDate = 0
        /// The date of the last write of the bytes.
        case modificationDate = 1
        /// The date of the first write.
        case creationDate = 2
        /// The date of the last change of the bytes, the metadata or the extended data.
        case changeDate = 3
    }

    /// Whether the memory layer stores the images of loads and queries. The default is true.
    public var shouldCacheImagesInMemory = true
    /// Whether the cache has a disk layer. The value is read when the cache is created. The default is true.
    public var shouldCacheImagesOnDisk = true
    /// Whether a memory look-up finds an evicted image that the application still uses. The default is true.
    public var shouldUseWeakMemoryCache = true
    /// The maximum age of an entry on disk in seconds. A negative value means unlimited. 0 means that every entry is
    /// expired. The default is one week.
    public var maxDiskAge: TimeInterval = 7 * 24 * 60 * 60
    /// The size limit of the disk layer in bytes. From 1 MiB on, it limits all files of the folder: values, index and log.
    /// A smaller limit counts only the values. `.max` means unlimited. 0 means an automatic limit: 2 GB, or 5 % of
    /// the sum of the free space and the size of the cache if this is less. The default is 0.
    public var maxDiskSize = 0
    /// The limit for the total cost of the memory layer in bytes. 0 means an automatic limit: 15 % of the machine's
    /// memory, or 15 % of the control group's memory limit if the latter is lower. `.max` means unlimited. The default
    /// is 0.
    public var maxMemoryCost = 0
    /// The maximum number of images in memory. 0 means unlimited. The default is 0.
    public var maxMemoryCount = 0
    /// The date from which the age of an entry is counted. The default is the date of the last read.
    public var diskCacheExpireType = ExpireType.accessDate
    /// Whether the index of the disk layer stores the keys as text, in addition to their hashes. The default is false,
    /// because keys are usually URLs, and URLs can contain secrets.
    public var diskCacheStoresPlainKeys = false
    /// Whether ``ImageCache/applicationWillTerminate()`` removes expired entries and trims to the size limit. The
    /// default is true.
    public var shouldRemoveExpiredDataWhenTerminate = true
    /// Whether ``ImageCache/applicationDidEnterBackground()`` removes expired entries and trims to the size limit. The
    /// default is true.
    public var shouldRemoveExpiredDataWhenEnterBackground = true
    /// Options for reading the files whose paths ``ImageCache/additionalCachePathBlock`` returns.
    ///
    /// The options do not apply to the files of the disk layer. These files are always read completely and verified.
    /// They are never memory-mapped: if another process truncated a mapped file, this process would crash.
    public var diskCacheReadingOptions: Data.ReadingOptions = []
    /// The class of the memory layer; nil means ``MemoryCache``.
    public var memoryCacheClass: (any MemoryCaching.Type)?
    /// The class of the disk layer; nil means the default disk cache that `WebImageDefaults` registers.
    public var diskCacheClass: (any DiskCaching.Type)?

    /// The source of memory pressure events; nil means ``MemoryPressureRelay/system``. The value is read when the
    /// cache is created.
    public var memoryPressureSource: MemoryPressureRelay?

    /// The pool and the coders for decoding and encoding. Both values are read when the cache is created.
    package var decodePool = DecodePool.shared
    package var coders = ImageCodersManager.shared

    /// Creates a configuration with the default values.
    public init() {}

    private static let shared = Locked(ImageCacheConfig())

    /// The configuration of caches that are created without a configuration.
    public static var `default`: ImageCacheConfig {
        get { shared.withLock { $0 } }
        set { shared.withLock { $0 = newValue } }
    }
}

/// The default directory of disk caches (XDG Base Directory Specification 0.8).
package enum CacheLocation {
    /// Returns `$XDG_CACHE_HOME/<application>/webimage`. If `$XDG_CACHE_HOME` is not an absolute path, returns
    /// `$HOME/.cache/<application>/webimage`.
    ///
    /// - Parameter home: The user's home directory according to the system; used when `$HOME` is not an absolute path.
    static func directory(environment: [String: String], home: String, application: String) -> String {
        // Read `$HOME` here, because Foundation ignores `$HOME` if the system has a home directory for the user.
        let chosen = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
        var base = chosen + (chosen.hasSuffix("/") ? ".cache" : "/.cache")
        // The specification requires that a relative path is ignored.
        if let configured = environment["XDG_CACHE_HOME"], configured.hasPrefix("/") { base = configured }
        while base.hasSuffix("/"), base.utf8.count > 1 { base.removeLast() }
        return (base == "/" ? "" : base) + "/" + folderName(application) + "/webimage"
    }

    package static var standard: String {
        directory(
            environment: ProcessInfo.processInfo.environment,
            home: FileManager.default.homeDirectoryForCurrentUser.path, application: application)
    }

    /// The name of the application: the bundle's identifier, or the executable's name if there is no identifier.
    private static var application: String {
        if let identifier = Bundle.main.bundleIdentifier, !identifier.isEmpty { return identifier }
        let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let name = (executable as NSString).lastPathComponent
        return name.isEmpty ? "webimage" : name
    }

    /// Escapes a name, so that the result is one path component. Without the escapes, a name such as `..` or `a/b`
    /// would refer to another folder.
    static func folderName(_ name: String) -> String {
        if name.isEmpty { return "default" }
        if name.allSatisfy({ $0 == "." }) { return name.replacingOccurrences(of: ".", with: "%2E") }
        return name.replacingOccurrences(of: "/", with: "%2F").replacingOccurrences(of: "\0", with: "%00")
    }
}
