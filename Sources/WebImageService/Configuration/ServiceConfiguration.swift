/// Everything an operator decides; a value with the defaults of `webimage serve`.
///
/// Read from a file, from `WEBIMAGE_…` variables and from flags by one table, in this order: later ones win.
public struct ServiceConfiguration: Sendable, Hashable {
    // MARK: Addresses, for the transport

    /// Where requests are taken: `ADDRESS:PORT`, `[ADDRESS]:PORT` or `unix:PATH`. Empty is `127.0.0.1:8080`.
    public var listen: [String] = []
    /// Where metrics and purges are taken; empty is nowhere.
    public var admin = ""
    /// Whether other than loopback addresses may be listened on without keys.
    public var isInsecure = false
    /// Permissions of a local socket, octal.
    public var socketMode = "660"
    /// Ranges (CIDR) of proxies whose `X-Forwarded-For` is believed.
    public var trustedProxies: [String] = []
    /// Open connections in all, and of one client.
    public var maxConnections = 10_000
    /// Connections of one client (IPv6: of one /64).
    public var maxConnectionsPerClient = 1_000
    /// Seconds for the head of a request.
    public var headTimeout = 10
    /// Seconds that an idle connection stays open.
    public var idleTimeout = 30
    /// Seconds after which a client that takes no bytes is cut off.
    public var sendTimeout = 30
    /// Seconds that requests get to end when the service stops.
    public var drain = 20
    /// Bytes of a request's head.
    public var maxHeadBytes = 32 << 10
    /// The access log: `text`, `json` or `none`.
    public var accessLog = "text"

    // MARK: URLs

    /// The start of every target, without a slash at its end.
    public var pathPrefix = ""
    /// Keys of imgproxy's grammar, hexadecimal; each with the salt at its place.
    public var keys: [String] = []
    /// Salts, hexadecimal.
    public var salts: [String] = []
    /// Bytes of a signature, 1...32.
    public var signatureSize = 32
    /// Signatures accepted as they are.
    public var trustedSignatures: [String] = []
    /// The prefix of thumbor's grammar; empty switches it off.
    public var thumborPrefix = ""
    /// Keys of thumbor's grammar.
    public var thumborKeys: [String] = []
    /// Whether `unsafe` is accepted beside keys.
    public var allowsUnsafeThumbor = false
    /// Presets as `name=option/option`.
    public var presets: [String] = []
    /// Whether targets name presets alone.
    public var onlyPresets = false
    /// Names of options allowed outside presets; empty allows all.
    public var allowedOptions: [String] = []
    /// Whether the last segment of a base64 source is decoration.
    public var base64IncludesFilename = false
    /// Bytes of a target.
    public var maxTargetBytes = 16 << 10

    // MARK: Sources

    /// Prefixes of allowed sources, `*` standing for anything but a slash; empty allows every public one.
    public var allowedSources: [String] = []
    /// Ranges (CIDR) of addresses that may be fetched from although not public.
    public var allowedAddresses: [String] = []
    /// The folder of `local:///` sources; empty allows none.
    public var root = ""
    /// Put before sources.
    public var baseURL = ""
    /// `pattern=replacement`.
    public var urlReplacements: [String] = []
    /// Seconds without a byte from a source.
    public var sourceTimeout = 10
    /// Seconds for a whole fetch.
    public var sourceDeadline = 30
    /// Redirects that are followed.
    public var maxRedirects = 5
    /// What sources are told about this client.
    public var userAgent = ""

    // MARK: Caches

    /// The folder of the caches; empty is the user's cache folder.
    public var cacheFolder = ""
    /// Bytes of results on disk; 0 keeps none.
    public var resultCacheBytes = 1 << 30
    /// Bytes of sources on disk; 0 keeps none.
    public var sourceCacheBytes = 1 << 30
    /// Bytes of results in memory.
    public var resultMemoryBytes = 64 << 20
    /// Seconds a result is fresh whose source does not say.
    public var ttl = 86_400
    /// Bounds of what sources say, in seconds.
    public var minTTL = 0
    /// The upper bound in seconds.
    public var maxTTL = 31_536_000
    /// Seconds a result may be used while it is made anew.
    public var staleWhileRevalidate = 60
    /// Seconds a result may be used when its source fails.
    public var staleIfError = 86_400
    /// Seconds a failure is remembered.
    public var negativeTTL = 10

    // MARK: Limits

    /// Bytes of a source.
    public var maxSourceBytes = 50 << 20
    /// Megapixels of a source.
    public var maxSourceMegapixels = 50
    /// Frames of an animation; a longer one becomes a still picture.
    public var maxAnimationFrames = 128
    /// Megapixels of all frames of a result together.
    public var maxAnimationMegapixels = 50
    /// The longest side of a result in pixels; larger ones become smaller.
    public var maxResultDimension = 8_192
    /// Megapixels of a result.
    public var maxResultMegapixels = 50
    /// Seconds of decoding.
    public var decodeTimeout = 8
    /// Results in the making at once, waiting ones included.
    public var queue = 64
    /// Of these, from one source host.
    public var queuePerHost = 32
    /// Requests in flight.
    public var maxRequests = 10_000
    /// Of these, from one client (IPv6: of one /64).
    public var maxRequestsPerClient = 256
    /// Whether targets may set limits of their own, which never exceed these.
    public var allowsSecurityOptions = true

    // MARK: Output

    /// 1...100, for formats without one of their own.
    public var quality = 80
    /// `format:quality` pairs.
    public var formatQuality: [String] = []
    /// Whether JPEG shows a coarse picture early.
    public var isProgressive = false
    /// Whether clients that accept it get AVIF.
    public var offersAVIF = true
    /// Whether clients that accept it get WebP.
    public var offersWebP = true
    /// Whether clients that accept it get JPEG XL.
    public var offersJPEGXL = false
    /// Milliseconds an AVIF may take; after that the client gets the next format and AVIF is made for the next request.
    public var avifBudget = 300
    /// Whether `Width`, `DPR` and `Save-Data` are followed.
    public var usesClientHints = false
    /// The picture of the `watermark` option; empty is none.
    public var watermark = ""
    /// Percent, multiplied by that of the option.
    public var watermarkOpacity = 100
    /// The origin that may read answers (`*` or one origin); empty is none.
    public var allowedOrigin = ""
    /// Whether answers name their source in `Link`.
    public var linksCanonical = false
    /// Whether errors are JSON.
    public var usesJSONErrors = false
    /// The picture sent when a source fails; empty is none.
    public var fallback = ""
    /// The status of a fallback; 0 is that of the failure.
    public var fallbackStatus = 200
    /// Secret of purge requests; empty allows none.
    public var purgeTokens: [String] = []

    /// The defaults.
    public init() {}

    /// Whether targets must be signed.
    public var requiresSignature: Bool { !keys.isEmpty }

    /// Whether a target that holds no signature is answered, in one grammar at least.
    public var allowsUnsigned: Bool {
        keys.isEmpty || !thumborPrefix.isEmpty && (thumborKeys.isEmpty || allowsUnsafeThumbor)
    }
}
