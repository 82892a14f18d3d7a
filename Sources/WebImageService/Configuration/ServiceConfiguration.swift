/// The operator's settings, with the defaults of `webimage serve`.
///
/// They are read from a file, from `WEBIMAGE_…` variables and from flags, in this order: later ones win.
public struct ServiceConfiguration: Sendable, Hashable {
    // MARK: Addresses, for the transport

    /// Listening addresses: `ADDRESS:PORT`, `[ADDRESS]:PORT` or `unix:PATH`. Empty means `127.0.0.1:8080`.
    public var listen: [String] = []
    /// The listening address for metrics and purges; empty disables it.
    public var admin = ""
    /// Whether the service may listen on non-loopback addresses without keys.
    public var isInsecure = false
    /// Permissions of the Unix socket, octal.
    public var socketMode = "660"
    /// Address ranges (CIDR) of proxies whose `X-Forwarded-For` is trusted.
    public var trustedProxies: [String] = []
    /// The maximum of open connections.
    public var maxConnections = 10_000
    /// The maximum of open connections per client (IPv6: per /64).
    public var maxConnectionsPerClient = 1_000
    /// Seconds in which the head of a request must arrive.
    public var headTimeout = 10
    /// Seconds that an idle connection remains open.
    public var idleTimeout = 30
    /// Seconds without progress after which a connection to a client that accepts no bytes is closed.
    public var sendTimeout = 30
    /// Seconds that running requests get to finish when the service stops.
    public var drain = 20
    /// The maximum size of a request's head in bytes.
    public var maxHeadBytes = 32 << 10
    /// The access log: `text`, `json` or `none`.
    public var accessLog = "text"

    // MARK: URLs

    /// The prefix of every target, without a trailing slash.
    public var pathPrefix = ""
    /// Keys of imgproxy's grammar, hexadecimal; each is used with the salt at the same index.
    public var keys: [String] = []
    /// Salts of imgproxy's grammar, hexadecimal.
    public var salts: [String] = []
    /// Bytes of the hash in a signature, 1...32.
    public var signatureSize = 32
    /// Signatures that are accepted without verification.
    public var trustedSignatures: [String] = []
    /// The prefix of thumbor's grammar; empty disables the grammar.
    public var thumborPrefix = ""
    /// Keys of thumbor's grammar.
    public var thumborKeys: [String] = []
    /// Whether `unsafe` is accepted although keys are configured.
    public var allowsUnsafeThumbor = false
    /// Presets in the form `name=option/option`.
    public var presets: [String] = []
    /// Whether targets may name only presets.
    public var onlyPresets = false
    /// Names of options allowed outside presets; empty allows all of them.
    public var allowedOptions: [String] = []
    /// Whether the last segment of a base64 source is a file name without effect.
    public var base64IncludesFilename = false
    /// The maximum length of a target in bytes.
    public var maxTargetBytes = 16 << 10

    // MARK: Sources

    /// Prefixes of allowed sources, in which `*` matches anything but a slash; empty allows every public source.
    public var allowedSources: [String] = []
    /// Address ranges (CIDR) that may be fetched from although they are not public.
    public var allowedAddresses: [String] = []
    /// The folder of `local:///` sources; empty forbids them.
    public var root = ""
    /// The prefix added to sources that do not begin with it.
    public var baseURL = ""
    /// Replacements in source URLs, in the form `pattern=replacement`.
    public var urlReplacements: [String] = []
    /// Seconds without a byte from a source after which the fetch fails.
    public var sourceTimeout = 10
    /// Seconds after which a whole fetch fails.
    public var sourceDeadline = 30
    /// The maximum of redirects followed.
    public var maxRedirects = 5
    /// The `User-Agent` sent to sources.
    public var userAgent = ""

    // MARK: Caches

    /// The folder of the caches; empty means the user's cache folder.
    public var cacheFolder = ""
    /// The maximum of bytes of results on disk; 0 stores none.
    public var resultCacheBytes = 1 << 30
    /// The maximum of bytes of sources on disk; 0 stores none.
    public var sourceCacheBytes = 1 << 30
    /// The maximum of bytes of results in memory.
    public var resultMemoryBytes = 64 << 20
    /// Seconds that a result is fresh if its source states no lifetime.
    public var ttl = 86_400
    /// The lower bound in seconds of lifetimes that sources state.
    public var minTTL = 0
    /// The upper bound in seconds of lifetimes that sources state.
    public var maxTTL = 31_536_000
    /// Seconds that a stale result may be used while it is revalidated.
    public var staleWhileRevalidate = 60
    /// Seconds that a stale result may be used when its source fails.
    public var staleIfError = 86_400
    /// Seconds that a failure is remembered.
    public var negativeTTL = 10

    // MARK: Limits

    /// The maximum size of a source in bytes.
    public var maxSourceBytes = 50 << 20
    /// Megapixels of a source.
    public var maxSourceMegapixels = 50
    /// The maximum of frames of an animation; a longer one becomes a still picture.
    public var maxAnimationFrames = 128
    /// The maximum of megapixels of all frames of a result together.
    public var maxAnimationMegapixels = 50
    /// The maximum of a result's longer side in pixels; larger results are scaled down.
    public var maxResultDimension = 8_192
    /// The maximum of megapixels of a result.
    public var maxResultMegapixels = 50
    /// Seconds after which decoding fails.
    public var decodeTimeout = 8
    /// The maximum of results being made at once, waiting ones included.
    public var queue = 64
    /// The share of ``queue`` that one source host may use.
    public var queuePerHost = 32
    /// The maximum of requests in flight.
    public var maxRequests = 10_000
    /// The maximum of requests in flight per client (IPv6: per /64).
    public var maxRequestsPerClient = 256
    /// Whether targets may set their own limits, which never exceed the configured ones.
    public var allowsSecurityOptions = true

    // MARK: Output

    /// The encoding quality, 1...100, of formats without an entry in ``formatQuality``.
    public var quality = 80
    /// Quality per format, in the form `format:quality`.
    public var formatQuality: [String] = []
    /// Whether JPEG results are progressive.
    public var isProgressive = false
    /// Whether clients that accept AVIF receive it.
    public var offersAVIF = true
    /// Whether clients that accept WebP receive it.
    public var offersWebP = true
    /// Whether clients that accept JPEG XL receive it.
    public var offersJPEGXL = false
    /// Milliseconds that encoding AVIF may take. After that the client receives the next format, and AVIF is made for the
    /// next request.
    public var avifBudget = 300
    /// Whether the client hints `Width`, `DPR` and `Save-Data` are used.
    public var usesClientHints = false
    /// The path of the picture for the `watermark` option; empty means none.
    public var watermark = ""
    /// The watermark's opacity in percent, multiplied by that of the option.
    public var watermarkOpacity = 100
    /// The origin that may read answers (`*` or one origin); empty means none.
    public var allowedOrigin = ""
    /// Whether answers name their source in `Link`.
    public var linksCanonical = false
    /// Whether error bodies are JSON.
    public var usesJSONErrors = false
    /// The path of the picture sent when a source fails; empty means none.
    public var fallback = ""
    /// The status sent with the fallback; 0 sends the status of the failure.
    public var fallbackStatus = 200
    /// Tokens that authorise purge requests; empty allows no purge.
    public var purgeTokens: [String] = []

    /// Creates a configuration with the defaults.
    public init() {}

    /// Whether targets must be signed.
    public var requiresSignature: Bool { !keys.isEmpty }

    /// Whether at least one grammar accepts a target without a signature.
    public var allowsUnsigned: Bool {
        keys.isEmpty || !thumborPrefix.isEmpty && (thumborKeys.isEmpty || allowsUnsafeThumbor)
    }
}
