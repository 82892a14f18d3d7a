/// The operator's settings, with the defaults of `webimage serve`.
///
/// `webimage serve` reads settings from a file, then from `WEBIMAGE_…` variables, then from flags. A later value
/// replaces an earlier value of the same setting.
public struct ServiceConfiguration: Sendable, Hashable {
    // MARK: Addresses, for the server

    /// The listening addresses, each `ADDRESS:PORT`, `[ADDRESS]:PORT` or `unix:PATH`. Empty means `127.0.0.1:8080`.
    public var listen: [String] = []
    /// The listening address of the operator, for metrics and purges. Empty means no such address.
    public var admin = ""
    /// Whether the service may listen on non-loopback addresses although no signing keys are configured.
    public var isInsecure = false
    /// The file permissions of Unix sockets, in octal.
    public var socketMode = "660"
    /// Address ranges (CIDR) of proxies whose `X-Forwarded-For` is trusted.
    public var trustedProxies: [String] = []
    /// The maximum number of open connections.
    public var maxConnections = 10_000
    /// The maximum number of open connections per client (IPv6: per /64).
    public var maxConnectionsPerClient = 1_000
    /// The time in seconds within which the whole head of a request must arrive.
    public var headTimeout = 10
    /// The time in seconds for which an idle connection remains open.
    public var idleTimeout = 30
    /// The time in seconds after which a connection is closed if the client accepts no bytes of an answer.
    public var sendTimeout = 30
    /// The maximum time in seconds for which a stopping service waits for running requests.
    public var drain = 20
    /// The maximum size of a request's head in bytes.
    public var maxHeadBytes = 32 << 10
    /// The path of a file with the secret settings. It is read again at a reload. Empty means no such file.
    public var secretsFile = ""
    /// The format of the access log: `text`, `json` or `none`.
    public var accessLog = "text"

    // MARK: URLs

    /// The prefix of every target, without a trailing slash.
    public var pathPrefix = ""
    /// The hexadecimal keys for signatures in imgproxy's grammar. Each key is used with the salt at the same index.
    public var keys: [String] = []
    /// The hexadecimal salts for signatures in imgproxy's grammar.
    public var salts: [String] = []
    /// The length in bytes of the hash in a signature, 1...32.
    public var signatureSize = 32
    /// Texts that are accepted instead of a signature, without verification.
    public var trustedSignatures: [String] = []
    /// The path prefix of targets in thumbor's grammar; empty disables the grammar.
    public var thumborPrefix = ""
    /// The keys for signatures in thumbor's grammar.
    public var thumborKeys: [String] = []
    /// Whether thumbor's unsigned `unsafe` targets are accepted although keys are configured.
    public var allowsUnsafeThumbor = false
    /// Named lists of options, each in the form `name=option/option`.
    public var presets: [String] = []
    /// Whether targets must name presets and must not contain options.
    public var onlyPresets = false
    /// The names of the options that are allowed outside presets. An empty list allows all options.
    public var allowedOptions: [String] = []
    /// Whether the last segment of a base64 source is a file name. Such a file name is ignored.
    public var base64IncludesFilename = false
    /// The maximum length of a target in bytes.
    public var maxTargetBytes = 16 << 10

    // MARK: Sources

    /// The URL prefixes of allowed sources. `*` in a prefix matches any text without a slash. An empty list allows
    /// every public source.
    public var allowedSources: [String] = []
    /// The address ranges (CIDR) from which sources may be fetched although the addresses are not public.
    public var allowedAddresses: [String] = []
    /// The folder of `local:///` sources. Empty refuses such sources.
    public var root = ""
    /// The buckets of `s3://bucket/name` sources, each as `s3://bucket[/prefix][?endpoint=…&region=…&style=…&ca=…]`, with
    /// `profile=NAME` for a profile of the shared credentials file, or `access=public` for requests without a signature.
    /// Sources in all other buckets, and outside of the prefix, are refused. Empty refuses all such sources.
    public var s3Sources: [String] = []
    /// The access keys of buckets in ``s3Sources``, each as `BUCKET:ID:SECRET` or `BUCKET:ID:SECRET:TOKEN`. A bucket
    /// without a key uses its profile, `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, or the shared credentials file.
    public var s3Keys: [String] = []
    /// The prefix that is added to a source that does not begin with this prefix.
    public var baseURL = ""
    /// The replacements in source URLs, each in the form `pattern=replacement`.
    public var urlReplacements: [String] = []
    /// The time in seconds after which a fetch fails if no byte arrives from the source.
    public var sourceTimeout = 10
    /// The maximum duration of a whole fetch in seconds. A fetch for a request also ends with ``decodeTimeout``, unless the
    /// source is sent unchanged and has begun to arrive.
    public var sourceDeadline = 30
    /// The maximum number of redirects that a fetch follows.
    public var maxRedirects = 5
    /// The `User-Agent` sent to sources.
    public var userAgent = ""

    // MARK: Caches

    /// The folder of the caches; empty means the user's cache folder.
    public var cacheFolder = ""
    /// The maximum size in bytes of all results on disk; 0 stores no results on disk.
    public var resultCacheBytes = 1 << 30
    /// The maximum size in bytes of all sources on disk; 0 stores no sources on disk.
    public var sourceCacheBytes = 1 << 30
    /// The maximum size in bytes of all results in memory.
    public var resultMemoryBytes = 64 << 20
    /// The lifetime of a result in seconds if its source states no lifetime.
    public var ttl = 86_400
    /// The minimum lifetime of a result in seconds; a shorter lifetime of a source is raised to this value.
    public var minTTL = 0
    /// The maximum lifetime of a result in seconds; a longer lifetime of a source is reduced to this value.
    public var maxTTL = 31_536_000
    /// A period in seconds after expiry. During this period, a stale result may be sent while it is revalidated in the
    /// background.
    public var staleWhileRevalidate = 60
    /// A period in seconds after expiry. During this period, a stale result may be sent if its source fails.
    public var staleIfError = 86_400
    /// The time in seconds for which a failure is remembered.
    public var negativeTTL = 10
    /// Where results and sources are stored, and for how long; the first rule that fits decides. A rule is `results` or
    /// `sources`, then `preset:NAME`, `preset:*` or a pattern of sources as in ``allowedSources`` (all without it), then
    /// `all`, `none` or `memory`, `disk` and `tiers` joined by `+`, then the longest time in seconds (no limit without it).
    /// Sources have no presets, and are not stored in memory.
    public var storeRules: [String] = []
    /// The addresses of cache tiers that several machines share, the nearest first, such as `valkey://host` and
    /// `s3://bucket`.
    public var tiers: [String] = []
    /// The passwords of the tiers that need one, in the order of ``tiers``; the last one is used for all further tiers.
    public var tierPasswords: [String] = []

    // MARK: Limits

    /// The maximum size of a source in bytes.
    public var maxSourceBytes = 50 << 20
    /// The maximum size of a source in megapixels.
    public var maxSourceMegapixels = 50
    /// The maximum number of frames of an animation. A longer animation becomes a still picture.
    public var maxAnimationFrames = 128
    /// The maximum total size in megapixels of all frames of a result. A larger animation becomes a still picture.
    public var maxAnimationMegapixels = 50
    /// The maximum length in pixels of a result's longer side. Larger results are scaled down.
    public var maxResultDimension = 8_192
    /// The maximum size of a result in megapixels.
    public var maxResultMegapixels = 50
    /// The maximum memory in bytes of all pixel buffers of a result that exist at the same time.
    public var maxResultMemory = 1 << 30
    /// The accepted formats of sources, for example `jpeg` and `png`; empty accepts every format that can be read.
    public var sourceFormats: [String] = []
    /// The maximum time in seconds from the acceptance of a request to the encoded result: waiting, fetching, reading the
    /// header, decoding, drawing and encoding.
    public var decodeTimeout = 8
    /// Where pictures are decoded: `process` means in restricted processes that decode many pictures each, `picture` in a
    /// restricted process for each picture, `none` in the process of the service. `webimage serve` applies this setting;
    /// a program with its own server calls `WebImageSandbox.enable()` instead.
    public var isolation = "process"
    /// The maximum number of results that are being made at the same time. This number includes results that wait for a
    /// processor.
    public var queue = 256
    /// The maximum number of results that are being made at the same time from sources of one host. By default as many as
    /// ``queue``, because the pictures of most pages have one origin.
    public var queuePerHost = 256
    /// A time in milliseconds. If results wait for a processor without interruption for a longer time, the service is
    /// overloaded. A shorter wait is a burst and has no effect. Under overload, a new result is refused while five or
    /// more results per processor are being made. 0 disables this rule.
    public var queueWait = 100
    /// The maximum number of requests in flight.
    public var maxRequests = 10_000
    /// The maximum number of requests in flight per client (IPv6: per /64).
    public var maxRequestsPerClient = 256
    /// Whether targets may set their own limits. A target is refused if one of its limits exceeds the configured limit.
    public var allowsSecurityOptions = true

    // MARK: Output

    /// The encoding quality, 1...100, for formats without an entry in ``formatQuality``.
    public var quality = 80
    /// The encoding quality per format, each entry in the form `format:quality`.
    public var formatQuality: [String] = []
    /// Whether JPEG results are progressive.
    public var isProgressive = false
    /// Whether clients that accept AVIF receive AVIF.
    public var offersAVIF = true
    /// Whether clients that accept WebP receive WebP.
    public var offersWebP = true
    /// Whether clients that accept JPEG XL receive JPEG XL.
    public var offersJPEGXL = false
    /// The maximum time in milliseconds for which a request waits for an AVIF result. It includes fetch and decode.
    /// After this time, the client receives another format. The AVIF result is completed in the background and stored
    /// for later requests.
    public var avifBudget = 300
    /// Whether the client hints `Width`, `DPR` and `Save-Data` are used.
    public var usesClientHints = false
    /// The path of the picture for the `watermark` option. Empty means no watermark.
    public var watermark = ""
    /// The watermark's opacity in percent. It is multiplied by the opacity in the target's option.
    public var watermarkOpacity = 100
    /// The origin whose scripts may read answers (`Access-Control-Allow-Origin`): `*` or one origin. Empty omits the
    /// field.
    public var allowedOrigin = ""
    /// Whether answers contain the URL of their source in a `Link` field with `rel="canonical"`.
    public var linksCanonical = false
    /// Whether error bodies are JSON.
    public var usesJSONErrors = false
    /// The path of the picture that is sent when a source fails (the fallback). Empty means no fallback.
    public var fallback = ""
    /// The status that is sent with the fallback; 0 sends the status of the failure.
    public var fallbackStatus = 200
    /// The tokens that authorise purge requests; empty refuses every purge.
    public var purgeTokens: [String] = []

    /// Creates a configuration with the defaults.
    public init() {}

    /// Whether targets in imgproxy's grammar must be signed.
    public var requiresSignature: Bool { !keys.isEmpty }

    /// Whether at least one grammar accepts a target without a signature.
    public var allowsUnsigned: Bool {
        keys.isEmpty || !thumborPrefix.isEmpty && (thumborKeys.isEmpty || allowsUnsafeThumbor)
    }
}
