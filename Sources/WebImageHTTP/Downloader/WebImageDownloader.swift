import Foundation
package import WebImageCore
public import WebImageLoading

/// Downloads images over HTTP and HTTPS. Equal requests at the same time share one download.
///
/// Transfers run on the downloader's own thread. No connection is opened before the first transfer. All
/// members may be used on any thread.
public final class WebImageDownloader: Sendable {
    private let current: Locked<DownloaderSettings>
    let engine: CurlEngine
    private let resumeStore: ResumeStore?
    let clock: any DelayClock
    let downloads: SharedDownloads
    let modifierCredentials = Locked(ModifierCredentials())

    /// The default downloader. It stores partial downloads on disk and continues them later.
    public static let shared: WebImageDownloader = {
        var config = WebImageDownloaderConfig.default
        config.resumeFolder = URL(fileURLWithPath: WebImageDownloaderConfig.partialFolder)
        return WebImageDownloader(config: config, engine: CurlEngine())
    }()

    /// Makes a downloader with its own connections.
    public convenience init(config: WebImageDownloaderConfig = .default) {
        self.init(config: config, engine: CurlEngine())
    }

    package init(config: WebImageDownloaderConfig, engine: CurlEngine, clock: any DelayClock = SystemClock()) {
        self.engine = engine
        self.clock = clock
        current = Locked(
            DownloaderSettings(.init(config: config, headers: Self.defaultHeaders), engine: engine))
        resumeStore = config.resumeFolder.map { ResumeStore(folder: $0) }
        downloads = SharedDownloads(
            environment: DownloadEnvironment(engine: engine, clock: clock, resumeStore: resumeStore), config: config)
    }

    deinit { downloads.cancelAll() }

    /// The configuration. A change applies to later downloads. The maximum numbers of downloads and the execution order
    /// also apply to downloads that already wait.
    public var config: WebImageDownloaderConfig {
        get { settings.config }
        set {
            change { $0.config = newValue }
            downloads.apply(newValue)
        }
    }

    /// Changes every request before it is sent. For a load whose context contains a request modifier, that modifier is
    /// used instead.
    public var requestModifier: (any WebImageDownloaderRequestModifierProtocol)? {
        get { settings.values.requestModifier }
        set { change { $0.requestModifier = newValue } }
    }

    /// Changes the head of every response. For a load whose context contains a response modifier, that modifier is used
    /// instead.
    public var responseModifier: (any WebImageDownloaderResponseModifierProtocol)? {
        get { settings.values.responseModifier }
        set { change { $0.responseModifier = newValue } }
    }

    /// Decrypts the received bytes. For a load whose context contains a decryptor, that decryptor is used instead.
    public var decryptor: (any WebImageDownloaderDecryptorProtocol)? {
        get { settings.values.decryptor }
        set { change { $0.decryptor = newValue } }
    }

    /// Sets a header field of every later request. A nil value removes the field.
    public func setValue(_ value: String?, forHTTPHeaderField field: String?) {
        guard let field else { return }
        change { $0.headers.setValue(value, forHTTPHeaderField: field) }
    }

    /// Returns the current value of a header field; nil if none is set. The downloader itself sets `Accept` and
    /// `User-Agent`.
    public func value(forHTTPHeaderField field: String?) -> String? {
        guard let field else { return nil }
        return settings.values.headers.value(forHTTPHeaderField: field)
    }

    /// Whether the downloader is suspended. While it is suspended, no download starts; running downloads continue.
    public var isSuspended: Bool {
        get { downloads.isSuspended }
        set { downloads.isSuspended = newValue }
    }

    /// The number of downloads that wait, run or are paused before another attempt.
    public var currentDownloadCount: Int { downloads.count }

    /// Cancels every download. Every caller receives `.cancelled`.
    public func cancelAllDownloads() { downloads.cancelAll() }

    /// Closes the connections of a downloader that is no longer used. Does nothing for ``shared``.
    ///
    /// - Parameter cancelPendingOperations: If true, all downloads immediately end with `.cancelled`. If false, the
    ///   connections close after all downloads have ended.
    public func invalidateSessionAndCancel(_ cancelPendingOperations: Bool) {
        guard self !== Self.shared else { return }
        if cancelPendingOperations { downloads.cancelAll() }
        engine.retire(endingNow: cancelPendingOperations)
    }

    /// Cancels every download, closes every connection and waits until the network thread has ended, usually for a few
    /// milliseconds.
    ///
    /// Later downloads fail with `.invalidDownloadOperation`. If called on the network thread, this function does not
    /// wait for that thread.
    public func shutdown() {
        downloads.cancelAll()
        engine.shutdown()
        resumeStore?.flush()
    }

    /// The current settings.
    var settings: DownloaderSettings { current.withLock { $0 } }

    private func change(_ change: (inout DownloaderSettings.Values) -> Void) {
        // Release the old settings outside the lock, because this may release a modifier and run the user's `deinit`.
        _ = current.withLock { settings in
            var values = settings.values
            change(&values)
            defer { settings = DownloaderSettings(values, engine: engine) }
            return settings
        }
    }

    static let defaultAccept = "image/*,*/*;q=0.8"

    private static var defaultHeaders: WebImageRequest {
        var headers = WebImageRequest(url: URL(fileURLWithPath: "/"))
        headers.setValue(defaultAccept, forHTTPHeaderField: "Accept")
        headers.setValue(userAgent, forHTTPHeaderField: "User-Agent")
        return headers
    }

    /// The default `User-Agent` field: `<executable>/<version> (Linux …)`. Header fields must be ASCII, so every
    /// character that is not printable ASCII is replaced by `_`.
    private static var userAgent: String {
        let name = ProcessInfo.processInfo.processName
        let version = Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String ?? "1.0"
        let agent = "\(name)/\(version) (\(ProcessInfo.processInfo.operatingSystemVersionString))"
        return String(agent.unicodeScalars.map { (0x20..<0x7F).contains($0.value) ? Character($0) : "_" })
    }
}
