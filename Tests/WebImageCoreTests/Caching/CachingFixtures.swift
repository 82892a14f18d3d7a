import Foundation
import WebImageCore
import WebImageLoading
import WebImageTesting

/// Returns a new image with zeroed pixels.
func picture(width: Int = 16, height: Int = 1, format: PixelFormat = .bgra8Premultiplied) -> Image {
    guard let pixels = try? PixelBuffer(width: width, height: height, format: format) else {
        fatalError("no memory for \(width)×\(height)")
    }
    return Image(pixels: pixels)
}

/// A coder for a text format that is sufficient for cache tests: "P <width> <height>".
struct ToyCoder: ImageCoder {
    let decodes = Locked(0)

    static func data(width: Int, height: Int) -> Data { Data("P \(width) \(height)".utf8) }

    func canDecode(from data: Data) -> Bool { data.first == UInt8(ascii: "P") }
    func canEncode(to format: ImageFormat) -> Bool { true }

    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        ImageInfo(format: .undefined, storedSize: try decode(data, options: DecodingOptions()).pixelSize)
    }

    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        decodes.withLock { $0 += 1 }
        let words = String(decoding: data, as: UTF8.self).split(separator: " ")
        guard words.count == 3, words[0] == "P", let width = Int(words[1]), let height = Int(words[2]) else {
            throw .badData("toy", "not a toy picture")
        }
        let size = options.targetSize(for: PixelSize(width: width, height: height))
        let pixels = try PixelBuffer(width: size.width, height: size.height, format: options.pixelFormat)
        return Image(pixels: pixels, scale: options.scaleFactor)
    }

    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
        Self.data(width: image.pixelSize.width, height: image.pixelSize.height)
    }
}

/// A disk cache that stores its entries in memory, so that the tests of WebImageCore need no database.
final class DictionaryDiskCache: DiskCaching {
    struct State {
        var values: [String: Data] = [:]
        var extended: [String: Data] = [:]
        var sizes: [String: PixelSize] = [:]
        var config: ImageCacheConfig
        var flushes = 0
        var tidyings = 0
        var metadata: [String: Data] = [:]
    }
    let state: Locked<State>
    /// A closure that runs at the beginning of each read, outside the lock.
    let beforeReading = Locked<(@Sendable () -> Void)?>(nil)

    init?(cachePath: String, config: ImageCacheConfig) {
        if cachePath.contains("refused") { return nil }
        state = Locked(State(config: config))
    }

    func containsData(forKey key: String) -> Bool { state.withLock { $0.values[key] != nil } }
    func data(forKey key: String) -> Data? {
        beforeReading.withLock { $0 }?()
        return state.withLock { $0.values[key] }
    }
    func setData(_ data: Data?, forKey key: String) { state.withLock { $0.values[key] = data } }
    func extendedData(forKey key: String) -> Data? { state.withLock { $0.extended[key] } }
    func setExtendedData(_ data: Data?, forKey key: String) { state.withLock { $0.extended[key] = data } }
    func removeData(forKey key: String) { state.withLock { $0.values[key] = nil } }
    func removeAllData() { state.withLock { $0.values = [:] } }
    func removeExpiredData() { state.withLock { $0.tidyings += 1 } }
    func cachePath(forKey key: String) -> String? { nil }
    func totalCount() -> Int { state.withLock { $0.values.count } }
    func totalSize() -> Int { state.withLock { $0.values.values.reduce(0) { $0 + $1.count } } }
    func configDidChange(_ config: ImageCacheConfig) { state.withLock { $0.config = config } }
    func flush() { state.withLock { $0.flushes += 1 } }
    func setPixelSize(_ size: PixelSize, forKey key: String) { state.withLock { $0.sizes[key] = size } }
    func metadata(forKey key: String) -> Data? { state.withLock { $0.metadata[key] } }
    func setMetadata(_ data: Data?, forKey key: String) {
        state.withLock { if $0.values[key] != nil { $0.metadata[key] = data } }
    }
    func pixelSize(forKey key: String) -> PixelSize? { state.withLock { $0.sizes[key] } }
}

/// Records the values that are passed to a completion.
final class Calls<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])
    var all: [Value] { values.withLock { $0 } }
    func append(_ value: Value) { values.withLock { $0.append(value) } }

    /// Waits until there are `count` calls or the timeout ends. Returns the values of all calls so far.
    func wait(for count: Int = 1) -> [Value] {
        _ = eventually { all.count >= count }
        return all
    }
}
