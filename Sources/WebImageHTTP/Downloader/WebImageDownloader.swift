import Foundation
public import WebImageCore

/// Downloads pictures over HTTP and HTTPS, each once however many ask for it at the same time.
///
/// Transfers run on one thread of the downloader's own; nothing is opened before the first. Safe on any thread.
public final class WebImageDownloader: Sendable {
    private let current: Locked<DownloaderSettings>
    let engine: CurlEngine
    private let resumeStore: ResumeStore?
    let clock: any DelayClock
    let downloads: SharedDownloads

    /// The downloader used wherever no other is named.
    public static let shared: WebImageDownloader = {
        var config = WebImageDownloaderConfig.default
        config.resumeFolder = URL(fileURLWithPath: WebImageDownloaderConfig.partialFolder)
        return WebImageDownloader(config: config, engine: CurlEngine())
    }()

    /// A downloader with connections of its own.
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

    /// How this downloader behaves; a change counts for downloads that have not been asked for yet, the maximum
    /// number and the order at once.
    public var config: WebImageDownloaderConfig {
        get { settings.config }
        set {
            change { $0.config = newValue }
            downloads.apply(newValue)
        }
    }

    /// Changes every request; a context may name another.
    public var requestModifier: (any WebImageDownloaderRequestModifierProtocol)? {
        get { settings.values.requestModifier }
        set { change { $0.requestModifier = newValue } }
    }

    /// Changes the head of every answer; a context may name another.
    public var responseModifier: (any WebImageDownloaderResponseModifierProtocol)? {
        get { settings.values.responseModifier }
        set { change { $0.responseModifier = newValue } }
    }

    /// Turns the bytes that came into those of the picture; a context may name another.
    public var decryptor: (any WebImageDownloaderDecryptorProtocol)? {
        get { settings.values.decryptor }
        set { change { $0.decryptor = newValue } }
    }

    /// Sets a header field of every later request; nil removes it.
    public func setValue(_ value: String?, forHTTPHeaderField field: String?) {
        guard let field else { return }
        change { $0.headers.setValue(value, forHTTPHeaderField: field) }
    }

    /// The value of a header field that every request gets.
    public func value(forHTTPHeaderField field: String?) -> String? {
        guard let field else { return nil }
        return settings.values.headers.value(forHTTPHeaderField: field)
    }

    /// Whether nothing new starts; downloads that run go on.
    public var isSuspended: Bool {
        get { downloads.isSuspended }
        set { downloads.isSuspended = newValue }
    }

    /// Downloads that wait or run.
    public var currentDownloadCount: Int { downloads.count }

    /// Ends every download; every caller's completion hears `.cancelled`.
    public func cancelAllDownloads() { downloads.cancelAll() }

    /// Closes the connections of a downloader that is no longer wanted; nothing for ``shared``.
    ///
    /// - Parameter cancelPendingOperations: Whether downloads end at once with `.cancelled`; otherwise they end first.
    public func invalidateSessionAndCancel(_ cancelPendingOperations: Bool) {
        guard self !== Self.shared else { return }
        if cancelPendingOperations { downloads.cancelAll() }
        engine.retire(endingNow: cancelPendingOperations)
    }

    /// Ends every download, closes every connection and waits until the network thread has ended (milliseconds).
    ///
    /// Later downloads fail with `.invalidDownloadOperation`.
    public func shutdown() {
        downloads.cancelAll()
        engine.shutdown()
        resumeStore?.flush()
    }

    /// Everything that a request is made of, as it is now.
    var settings: DownloaderSettings { current.withLock { $0 } }

    private func change(_ change: (inout DownloaderSettings.Values) -> Void) {
        // What was goes outside the lock: with it may go a modifier of somebody's.
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
