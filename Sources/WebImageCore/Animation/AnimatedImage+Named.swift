public import Foundation

/// The folders in which images are looked up by name.
///
/// Registered bundles are searched first, then the main bundle, then the executable's folder.
public enum ImageResources {
    private static let bundles = Locked<[Bundle]>([])

    /// Adds a bundle to search, such as a package's `Bundle.module`. The bundle added last is searched first.
    public static func add(_ bundle: Bundle) { bundles.withLock { $0.insert(bundle, at: 0) } }

    /// Returns the path of the file for a name; nil when no file exists.
    ///
    /// If the name has no extension, the extension `png` is used. If the name already has one of the suffixes `@1x`,
    /// `@2x` and `@3x` before the extension, only this name is tried. Otherwise the method tries the name with each
    /// suffix: first the smallest suffix that is at least `scale`, then larger suffixes, then smaller suffixes. It
    /// tries the name without a suffix last.
    static func file(named name: String, in bundle: Bundle?, scale: CGFloat) -> String? {
        let path = name as NSString
        let fileExtension = path.pathExtension.isEmpty ? "png" : path.pathExtension
        let base = path.deletingPathExtension
        let hasScale = ["@1x", "@2x", "@3x"].contains { base.hasSuffix($0) }
        let order: [Int] = scale > 2 ? [3, 2, 1] : scale > 1 ? [2, 3, 1] : [1, 2, 3]
        let candidates = hasScale ? [base] : order.map { base + "@\($0)x" } + [base]
        let folders = bundle.map { [$0] } ?? bundles.withLock { $0 } + [.main]
        for folder in folders {
            for candidate in candidates {
                if let found = folder.path(forResource: candidate, ofType: fileExtension) { return found }
            }
        }
        guard bundle == nil, let executable = Bundle.main.executableURL else { return nil }
        return candidates.lazy.map {
            executable.deletingLastPathComponent().appendingPathComponent($0).path + "." + fileExtension
        }.first { FileManager.default.fileExists(atPath: $0) }
    }
}

extension AnimatedImage {
    private static let named = Locked<[String: AnimatedImage]>([:])
    private static let namedStills = Locked<[String: Image]>([:])

    /// Returns the image with a name; nil if no image file with this name exists.
    ///
    /// The method searches `bundle`. If `bundle` is nil, it searches the folders of ``ImageResources``. If image files
    /// for several scales exist, it prefers the smallest scale that is at least `scale`. The image stays in memory for
    /// later calls. The first call for a name blocks while it reads the file.
    public static func named(_ name: String, in bundle: Bundle? = nil, scale: CGFloat = 1) -> AnimatedImage? {
        let key = "\(bundle?.bundlePath ?? "")\u{0}\(name)\u{0}\(scale)"
        if let known = named.withLock({ $0[key] }) { return known }
        guard let file = ImageResources.file(named: name, in: bundle, scale: scale),
            let image = AnimatedImage(contentsOfFile: file)
        else { return nil }
        return named.withLock { images in
            if let known = images[key] { return known }
            images[key] = image
            return image
        }
    }

    /// Creates a new instance of the image that ``named(_:in:scale:)`` returns. Both instances share the file
    /// data and the decoder.
    public convenience init?(named name: String, in bundle: Bundle? = nil) {
        guard let kept = AnimatedImage.named(name, in: bundle) else { return nil }
        self.init(sharing: kept)
    }

    /// Returns the still image with a name. The first call decodes the file with `decode`; later calls
    /// return the same image from memory.
    package static func namedStill(_ name: String, decode: (_ data: Data?, _ scale: CGFloat) -> Image?) -> Image? {
        if let known = namedStills.withLock({ $0[name] }) { return known }
        guard let file = ImageResources.file(named: name, in: nil, scale: 1),
            let image = decode(FileManager.default.contents(atPath: file), scale(ofFile: file))
        else { return nil }
        return namedStills.withLock { images in
            if let known = images[name] { return known }
            images[name] = image
            return image
        }
    }

    /// Releases the images that were loaded by name. The library also calls this method when memory is short.
    /// Images that are still in use elsewhere stay in memory.
    public static func removeNamedImages() {
        // Release the images outside the locks.
        _ = named.withLock { images in
            defer { images = [:] }
            return images
        }
        _ = namedStills.withLock { images in
            defer { images = [:] }
            return images
        }
    }
}
