extension ConfigurationTable {
    static let addresses: [Row] = [
        list(
            "listen", \.listen, .fixed, "ADDRESS:PORT|unix:PATH", "the listening addresses; repeatable (127.0.0.1:8080)"
        ),
        text("admin", \.admin, .fixed, "ADDRESS:PORT|unix:PATH", "the listening address for metrics and purges"),
        flag("insecure", \.isInsecure, .live, "listen beyond loopback without keys"),
        text(
            "socket-mode", \.socketMode, .fixed, "OCTAL", "permissions of the Unix socket",
            by: .parse(SettingCheck.mode, into: \.socketMode)),
        list(
            "trusted-proxy", \.trustedProxies, .live, "CIDR", "proxies whose X-Forwarded-For is trusted",
            by: .append(SettingCheck.addresses, to: \.trustedProxies)),
        number("max-connections", \.maxConnections, .live, in: 1...1_000_000, "N", "the maximum of open connections"),
        number(
            "max-connections-per-client", \.maxConnectionsPerClient, .live, in: 1...1_000_000, "N",
            "the maximum of open connections per client"),
        number("head-timeout", \.headTimeout, .live, in: 1...3_600, "SECONDS", "for receiving the head of a request"),
        number(
            "idle-timeout", \.idleTimeout, .live, in: 1...3_600, "SECONDS", "for which an idle connection remains open"),
        number(
            "send-timeout", \.sendTimeout, .live, in: 1...3_600, "SECONDS",
            "without progress of an answer until it is aborted"
        ),
        number(
            "drain", \.drain, .live, in: 0...3_600, "SECONDS", "for running requests to finish when the service stops"),
        number(
            "max-head-bytes", \.maxHeadBytes, .fixed, in: 1_024...(1 << 20), "BYTES",
            "the maximum size of a request's head"),
        text("secrets-file", \.secretsFile, .live, "FILE", "secret settings; read again at SIGHUP"),
        choice("access-log", \.accessLog, .live, into: \.accessLog, "one line per request on standard output"),
    ]

    static let urls: [Row] = [
        text(
            "path-prefix", \.pathPrefix, .live, "/PATH", "the prefix of every target",
            by: .check(SettingCheck.pathPrefix)),
        list(
            "key", \.keys, .live, "HEX,…", "keys of signatures", isSecret: true,
            by: .append(SettingCheck.hexadecimal, to: \.keys)),
        list(
            "salt", \.salts, .live, "HEX,…", "salts of signatures, one for each key", isSecret: true,
            by: .append(SettingCheck.hexadecimal, to: \.salts)),
        number("signature-size", \.signatureSize, .live, in: 1...32, "BYTES", "of the hash in a signature"),
        list(
            "trusted-signatures", \.trustedSignatures, .live, "TEXT,…", "signatures accepted without verification",
            isSecret: true, by: .check(SettingCheck.signature)),
        text(
            "thumbor", \.thumborPrefix, .live, "/PREFIX", "the prefix of thumbor's grammar",
            by: .check(SettingCheck.thumborPrefix)),
        list("thumbor-key", \.thumborKeys, .live, "TEXT,…", "keys of thumbor's grammar", isSecret: true),
        flag("thumbor-unsafe", \.allowsUnsafeThumbor, .live, "accept unsafe targets although keys are configured"),
        list(
            "preset", \.presets, .live, "NAME=OPTION/OPTION", "a named list of options; repeatable",
            by: .check(SettingCheck.preset)),
        flag("only-presets", \.onlyPresets, .live, "targets may name only presets"),
        list(
            "allowed-options", \.allowedOptions, .live, "NAME,…", "options that targets may use; default: all",
            by: .check(SettingCheck.option)),
        flag(
            "base64-includes-filename", \.base64IncludesFilename, .live,
            "the last part of a base64 source is a file name"),
        number(
            "max-target-bytes", \.maxTargetBytes, .fixed, in: 256...(1 << 20), "BYTES", "the maximum length of a target"
        ),
    ]

    static let sources: [Row] = [
        list(
            "allowed-source", \.allowedSources, .live, "PREFIX,…",
            "sources that may be used, * for anything but a slash",
            by: .append(SourcePattern.init(checking:), to: \.allowedSources)),
        list(
            "allowed-address", \.allowedAddresses, .live, "CIDR,…", "private addresses that may be fetched from",
            by: .append(SettingCheck.addresses, to: \.allowedAddresses)),
        text("root", \.root, .fixed, "FOLDER", "the folder of local:/// sources"),
        list("s3-source", \.s3Sources, .fixed, "URL", "a bucket of s3:// sources, s3://bucket?endpoint=…; repeatable"),
        list("s3-key", \.s3Keys, .fixed, "BUCKET:ID:SECRET,…", "access keys of buckets", isSecret: true),
        text("base-url", \.baseURL, .live, "URL", "prefix added to sources", by: .check(SettingCheck.baseURL)),
        list(
            "url-replacement", \.urlReplacements, .live, "PATTERN=TEXT", "rewrites sources; separated by ;",
            separator: ";", by: .append(SettingCheck.replacement, to: \.replacements)),
        number(
            "source-timeout", \.sourceTimeout, .live, in: 1...3_600, "SECONDS",
            "without a byte from a source until a fetch fails"),
        number(
            "source-deadline", \.sourceDeadline, .live, in: 1...3_600, "SECONDS",
            "for a whole fetch; at most decode-timeout, except for raw"),
        number("max-redirects", \.maxRedirects, .live, in: 0...20, "N", "the maximum of redirects followed"),
        text(
            "user-agent", \.userAgent, .live, "TEXT", "the User-Agent sent to sources",
            by: .check(SettingCheck.userAgent)),
    ]

    static let caches: [Row] = [
        text(
            "cache-dir", \.cacheFolder, .fixed, "FOLDER", "the folder of the caches", by: .check(SettingCheck.folder)),
        number(
            "result-cache", \.resultCacheBytes, .fixed, in: 0...(1 << 50), "BYTES", "of results on disk; 0 stores none"),
        number(
            "source-cache", \.sourceCacheBytes, .fixed, in: 0...(1 << 50), "BYTES", "of sources on disk; 0 stores none"),
        number("result-memory", \.resultMemoryBytes, .fixed, in: 0...(1 << 40), "BYTES", "of results in memory"),
        number("ttl", \.ttl, .live, in: 0...year, "SECONDS", "a result is fresh if its source states no lifetime"),
        number("min-ttl", \.minTTL, .live, in: 0...year, "SECONDS", "a result is fresh at least, also with no-cache"),
        number("max-ttl", \.maxTTL, .live, in: 0...year, "SECONDS", "a result is fresh at most"),
        number(
            "stale-while-revalidate", \.staleWhileRevalidate, .live, in: 0...year, "SECONDS",
            "a stale result is used while it is revalidated"),
        number(
            "stale-if-error", \.staleIfError, .live, in: 0...year, "SECONDS",
            "a stale result is used when its source fails"),
        number("negative-ttl", \.negativeTTL, .live, in: 0...3_600, "SECONDS", "a failure is remembered"),
        list(
            "store-rule", \.storeRules, .live, "RULE", "where results and sources are stored; separated by ;",
            separator: ";", by: .append(StorageRules.Rule.init, to: \.storeRules)),
        list("tier", \.tiers, .fixed, "URL", "a cache of several machines, valkey:// or s3://; repeatable"),
        list("tier-password", \.tierPasswords, .fixed, "TEXT,…", "passwords of tiers", isSecret: true),
    ]

    private static let year = 31_536_000

    static let limits: [Row] = [
        number("max-source-bytes", \.maxSourceBytes, .live, in: 1...(1 << 40), "BYTES", "the maximum size of a source"),
        number("max-source-megapixels", \.maxSourceMegapixels, .live, in: 1...10_000, "N", "the maximum of a source"),
        number(
            "max-animation-frames", \.maxAnimationFrames, .live, in: 1...100_000, "N",
            "frames; longer ones become stills"),
        number(
            "max-animation-megapixels", \.maxAnimationMegapixels, .live, in: 1...10_000, "N",
            "the maximum of all frames of a result"),
        number(
            "max-result-memory", \.maxResultMemory, .live, in: (1 << 20)...(1 << 40), "BYTES",
            "the maximum of all pixel buffers of a result"),
        list(
            "source-formats", \.sourceFormats, .live, "FORMAT,…",
            "default: all; of \(SettingCheck.sourceFormats.joined(separator: ","))", words: SettingCheck.sourceFormats,
            by: .append(SettingCheck.sourceFormat, to: \.sourceFormats)),
        number(
            "max-result-dimension", \.maxResultDimension, .live, in: 1...65_535, "PIXELS",
            "the longest side of a result"),
        number("max-result-megapixels", \.maxResultMegapixels, .live, in: 1...1_000, "N", "the maximum of a result"),
        number(
            "decode-timeout", \.decodeTimeout, .live, in: 1...3_600, "SECONDS",
            "from the request to the encoded result, with waits and fetch"),
        number("queue", \.queue, .fixed, in: 1...100_000, "N", "results being made, including waiting ones"),
        number("queue-per-host", \.queuePerHost, .fixed, in: 1...100_000, "N", "the maximum of these per source host"),
        number(
            "queue-wait", \.queueWait, .fixed, in: 0...60_000, "MILLISECONDS",
            "of waiting without a pause; then only five results per processor are made"),
        number("max-requests", \.maxRequests, .fixed, in: 1...1_000_000, "N", "the maximum of requests in flight"),
        number(
            "max-requests-per-client", \.maxRequestsPerClient, .fixed, in: 1...1_000_000, "N",
            "the maximum of these per client"
        ),
        choice(
            "isolation", \.isolation, .fixed, into: \.isolation,
            "decode in restricted processes, for many pictures or each"),
        flag("security-options", \.allowsSecurityOptions, .live, "targets may lower the limits"),
    ]

    static let output: [Row] = [
        number("quality", \.quality, .live, in: 1...100, "N", "quality of formats that format-quality omits"),
        list(
            "format-quality", \.formatQuality, .live, "FORMAT:N,…", "quality per format",
            by: .append(SettingCheck.formatQuality, to: \.formatQualities)),
        flag("progressive", \.isProgressive, .live, "write progressive JPEG"),
        flag("avif", \.offersAVIF, .live, "AVIF for clients that accept it"),
        flag("webp", \.offersWebP, .live, "WebP for clients that accept it"),
        flag("jxl", \.offersJPEGXL, .live, "JPEG XL for clients that accept it"),
        number("avif-budget", \.avifBudget, .live, in: 0...60_000, "MILLISECONDS", "that encoding AVIF may take"),
        flag("client-hints", \.usesClientHints, .live, "use the client hints Width, DPR and Save-Data"),
        text("watermark", \.watermark, .live, "FILE", "the picture of the watermark option"),
        number("watermark-opacity", \.watermarkOpacity, .live, in: 0...100, "PERCENT", "of the watermark"),
        text(
            "allow-origin", \.allowedOrigin, .live, "ORIGIN", "the origin whose scripts may read answers",
            by: .check(SettingCheck.origin)),
        flag("canonical-link", \.linksCanonical, .live, "name the source in Link"),
        flag("json-errors", \.usesJSONErrors, .live, "errors as JSON"),
        text("fallback", \.fallback, .live, "FILE", "the picture sent when a source fails"),
        number(
            "fallback-status", \.fallbackStatus, .live, in: 0...599, "STATUS",
            "of the fallback; 0 sends the status of the failure"),
        list(
            "purge-token", \.purgeTokens, .live, "TEXT,…", "tokens that authorise purges", isSecret: true,
            by: .check(SettingCheck.token)),
    ]
}
