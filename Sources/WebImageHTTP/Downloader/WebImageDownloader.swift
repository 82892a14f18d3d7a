import Foundation
public import WebImageCore

/// Downloads images over HTTP and HTTPS; equal requests at the same time share one download.
///
/// Transfers run on the downloader's own thread. No connection is opened before the first one. Safe on any thread.
public final class WebImageDownloader: Sendable {
    private let current: Locked<DownloaderSettings>
    let engine: CurlEngine
    private let resumeStore: ResumeStore?
    let clock: any DelayClock
    let downloads: SharedDownloads

    /// The default downloader.
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

    /// The configuration. A change applies to later downloads; the maximum number and the order apply at once.
    public var config: WebImageDownloaderConfig {
        get { settings.config }
        set {
            change { $0.config = newValue }
            downloads.apply(newValue)
        }
    }

    /// Changes every request; a load's context may name another one.
    public var requestModifier: (any WebImageDownloaderRequestModifierProtocol)? {
        get { settings.values.requestModifier }
        set { change { $0.requestModifier = newValue } }
    }

    /// Changes the head of every response; a load's context may name another one.
    public var responseModifier: (any WebImageDownloaderResponseModifierProtocol)? {
        get { settings.values.responseModifier }
        set { change { $0.responseModifier = newValue } }
    }

    /// Decrypts the received bytes; a load's context may name another one.
    public var decryptor: (any WebImageDownloaderDecryptorProtocol)? {
        get { settings.values.decryptor }
        set { change { $0.decryptor = newValue } }
    }

    /// Sets a header field of every later request; nil removes it.
    public func setValue(_ value: String?, forHTTPHeaderField field: String?) {
        guard let field else { return }
        change { $0.headers.setValue(value, forHTTPHeaderField: field) }
    }

    /// Returns the value of a header field that every request gets.
    public func value(forHTTPHeaderField field: String?) -> String? {
        guard let field else { return nil }
        return settings.values.headers.value(forHTTPHeaderField: field)
    }

    /// Whether the downloader is suspended: no download starts, running ones continue.
    public var isSuspended: Bool {
        get { downloads.isSuspended }
        set { downloads.isSuspended = newValue }
    }

    /// The number of downloads that wait or run.
    public var currentDownloadCount: Int { downloads.count }

    /// Cancels every download; every caller's completion receives `.cancelled`.
    public func cancelAllDownloads() { downloads.cancelAll() }

    /// Closes the connections of a downloader that is no longer used; does nothing for ``shared``.
    ///
    /// - Parameter cancelPendingOperations: Whether downloads end at once with `.cancelled`; otherwise connections
    ///   close after they have ended.
    public func invalidateSessionAndCancel(_ cancelPendingOperations: Bool) {
        guard self !== Self.shared else { return }
        if cancelPendingOperations { downloads.cancelAll() }
        engine.retire(endingNow: cancelPendingOperations)
    }

    /// Cancels every download, closes every connection and waits until the network thread has ended (milliseconds).
    ///
    /// Later downloads fail with `.invalidDownloadOperation`.
    public func shutdown() {
        downloads.cancelAll()
        engine.shutdown()
        resumeStore?.flush()
    }

    /// The current settings.
    var settings: DownloaderSettings { current.withLock { $0 } }

    private func change(_ change: (inout DownloaderSettings.Values) -> Void) {
        // The old settings are released outside the lock: this may release a user's modifier.
        _ = current.withLock { settings in
            var values = settings.values
            change(&values)
            defer { settings = DownloaderSettings(values, engine: engine) }
            return settings
        }
    }

    private static var defaultHeaders: WebImageRequest {
        var headers = WebImageRequest(url: URL(fileURLWithPath: "/"))
        headers.setValue("image/*,*/*;q=0.8", forHTTPHeaderField: "Accept")
        headers.setValue(userAgent, forHTTPHeaderField: "User-Agent")
        return headers
    }

    /// `<executable>/<version> (Linux …)` in printable ASCII, as header fields must be.
    private static var userAgent: String {
        let name = ProcessInfo.processInfo.processName
        let version = Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String ?? "1.0"
        let agent = "\(name)/\(version) (\(ProcessInfo.processInfo.operatingSystemVersionString))"
        return String(agent.unicodeScalars.map { (0x20..<0x7F).contains($0.value) ? Character($0) : "_" })
    }
}
