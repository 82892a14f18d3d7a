extension ConfigurationTable {
    static let addresses: [Row] = [
        list("listen", \.listen, "ADDRESS:PORT|unix:PATH", "the listening addresses; repeatable (127.0.0.1:8080)"),
        text("admin", \.admin, "ADDRESS:PORT|unix:PATH", "the listening address for metrics and purges"),
        flag("insecure", \.isInsecure, "listen beyond loopback without keys"),
        text("socket-mode", \.socketMode, "OCTAL", "permissions of the Unix socket"),
        list("trusted-proxy", \.trustedProxies, "CIDR", "proxies whose X-Forwarded-For is trusted"),
        number("max-connections", \.maxConnections, in: 1...1_000_000, "N", "the maximum of open connections"),
        number(
            "max-connections-per-client", \.maxConnectionsPerClient, in: 1...1_000_000, "N",
            "the maximum of open connections per client"),
        number("head-timeout", \.headTimeout, in: 1...3_600, "SECONDS", "for receiving the head of a request"),
        number("idle-timeout", \.idleTimeout, in: 1...3_600, "SECONDS", "for which an idle connection remains open"),
        number(
            "send-timeout", \.sendTimeout, in: 1...3_600, "SECONDS", "without progress of an answer until it is aborted"
        ),
        number("drain", \.drain, in: 0...3_600, "SECONDS", "for running requests to finish when the service stops"),
        number(
            "max-head-bytes", \.maxHeadBytes, in: 1_024...(1 << 20), "BYTES", "the maximum size of a request's head"),
        choice("access-log", \.accessLog, ["text", "json", "none"], "one line per request on standard output"),
    ]

    static let urls: [Row] = [
        text("path-prefix", \.pathPrefix, "/PATH", "the prefix of every target"),
        list("key", \.keys, "HEX,…", "keys of signatures", isSecret: true),
        list("salt", \.salts, "HEX,…", "salts of signatures, one for each key", isSecret: true),
        number("signature-size", \.signatureSize, in: 1...32, "BYTES", "of the hash in a signature"),
        list(
            "trusted-signatures", \.trustedSignatures, "TEXT,…", "signatures accepted without verification",
            isSecret: true),
        text("thumbor", \.thumborPrefix, "/PREFIX", "the prefix of thumbor's grammar"),
        list("thumbor-key", \.thumborKeys, "TEXT,…", "keys of thumbor's grammar", isSecret: true),
        flag("thumbor-unsafe", \.allowsUnsafeThumbor, "accept unsafe targets although keys are configured"),
        list("preset", \.presets, "NAME=OPTION/OPTION", "a named list of options; repeatable"),
        flag("only-presets", \.onlyPresets, "targets may name only presets"),
        list("allowed-options", \.allowedOptions, "NAME,…", "options that targets may use; default: all"),
        flag("base64-includes-filename", \.base64IncludesFilename, "the last part of a base64 source is a file name"),
        number("max-target-bytes", \.maxTargetBytes, in: 256...(1 << 20), "BYTES", "the maximum length of a target"),
    ]

    static let sources: [Row] = [
        list("allowed-source", \.allowedSources, "PREFIX,…", "sources that may be used, * for anything but a slash"),
        list("allowed-address", \.allowedAddresses, "CIDR,…", "private addresses that may be fetched from"),
        text("root", \.root, "FOLDER", "the folder of local:/// sources"),
        text("base-url", \.baseURL, "URL", "prefix added to sources"),
        list("url-replacement", \.urlReplacements, "PATTERN=TEXT", "rewrites sources; separated by ;", separator: ";"),
        number(
            "source-timeout", \.sourceTimeout, in: 1...3_600, "SECONDS",
            "without a byte from a source until a fetch fails"),
        number("source-deadline", \.sourceDeadline, in: 1...3_600, "SECONDS", "for a whole fetch"),
        number("max-redirects", \.maxRedirects, in: 0...20, "N", "the maximum of redirects followed"),
        text("user-agent", \.userAgent, "TEXT", "the User-Agent sent to sources"),
    ]

    static let caches: [Row] = [
        text("cache-dir", \.cacheFolder, "FOLDER", "the folder of the caches"),
        number("result-cache", \.resultCacheBytes, in: 0...(1 << 50), "BYTES", "of results on disk; 0 stores none"),
        number("source-cache", \.sourceCacheBytes, in: 0...(1 << 50), "BYTES", "of sources on disk; 0 stores none"),
        number("result-memory", \.resultMemoryBytes, in: 0...(1 << 40), "BYTES", "of results in memory"),
        number("ttl", \.ttl, in: 0...year, "SECONDS", "a result is fresh if its source states no lifetime"),
        number("min-ttl", \.minTTL, in: 0...year, "SECONDS", "a result is fresh at least, also with no-cache"),
        number("max-ttl", \.maxTTL, in: 0...year, "SECONDS", "a result is fresh at most"),
        number(
            "stale-while-revalidate", \.staleWhileRevalidate, in: 0...year, "SECONDS",
            "a stale result is used while it is revalidated"),
        number(
            "stale-if-error", \.staleIfError, in: 0...year, "SECONDS", "a stale result is used when its source fails"),
        number("negative-ttl", \.negativeTTL, in: 0...3_600, "SECONDS", "a failure is remembered"),
    ]

    private static let year = 31_536_000

    static let limits: [Row] = [
        number("max-source-bytes", \.maxSourceBytes, in: 1...(1 << 40), "BYTES", "the maximum size of a source"),
        number("max-source-megapixels", \.maxSourceMegapixels, in: 1...10_000, "N", "the maximum of a source"),
        number("max-animation-frames", \.maxAnimationFrames, in: 1...100_000, "N", "frames; longer ones become stills"),
        number(
            "max-animation-megapixels", \.maxAnimationMegapixels, in: 1...10_000, "N",
            "the maximum of all frames of a result"),
        number("max-result-dimension", \.maxResultDimension, in: 1...65_535, "PIXELS", "the longest side of a result"),
        number("max-result-megapixels", \.maxResultMegapixels, in: 1...1_000, "N", "the maximum of a result"),
        number("decode-timeout", \.decodeTimeout, in: 1...3_600, "SECONDS", "after which decoding fails"),
        number("queue", \.queue, in: 1...100_000, "N", "results being made, including waiting ones"),
        number("queue-per-host", \.queuePerHost, in: 1...100_000, "N", "the maximum of these per source host"),
        number(
            "queue-wait", \.queueWait, in: 0...60_000, "MILLISECONDS",
            "of waiting without a pause; then only five results per processor are made"),
        number("max-requests", \.maxRequests, in: 1...1_000_000, "N", "the maximum of requests in flight"),
        number(
            "max-requests-per-client", \.maxRequestsPerClient, in: 1...1_000_000, "N", "the maximum of these per client"
        ),
        flag("security-options", \.allowsSecurityOptions, "targets may lower the limits"),
    ]

    static let output: [Row] = [
        number("quality", \.quality, in: 1...100, "N", "quality of formats that format-quality omits"),
        list("format-quality", \.formatQuality, "FORMAT:N,…", "quality per format"),
        flag("progressive", \.isProgressive, "write progressive JPEG"),
        flag("avif", \.offersAVIF, "AVIF for clients that accept it"),
        flag("webp", \.offersWebP, "WebP for clients that accept it"),
        flag("jxl", \.offersJPEGXL, "JPEG XL for clients that accept it"),
        number("avif-budget", \.avifBudget, in: 0...60_000, "MILLISECONDS", "that encoding AVIF may take"),
        flag("client-hints", \.usesClientHints, "use the client hints Width, DPR and Save-Data"),
        text("watermark", \.watermark, "FILE", "the picture of the watermark option"),
        number("watermark-opacity", \.watermarkOpacity, in: 0...100, "PERCENT", "of the watermark"),
        text("allow-origin", \.allowedOrigin, "ORIGIN", "the origin whose scripts may read answers"),
        flag("canonical-link", \.linksCanonical, "name the source in Link"),
        flag("json-errors", \.usesJSONErrors, "errors as JSON"),
        text("fallback", \.fallback, "FILE", "the picture sent when a source fails"),
        number(
            "fallback-status", \.fallbackStatus, in: 0...599, "STATUS",
            "of the fallback; 0 sends the status of the failure"),
        list("purge-token", \.purgeTokens, "TEXT,…", "tokens that authorise purges", isSecret: true),
    ]
}
