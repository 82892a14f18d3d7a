import Foundation
import WebImageCore
import WebImageHTTP
import WebImageS3

/// A parsed and checked configuration, with the content of its files.
struct ServiceSettings: Sendable {
    let configuration: ServiceConfiguration
    var imgproxy: ImgproxyRouter
    var thumbor: ThumborRouter?
    var sources: SourcePolicy
    let storage: StorageRules
    /// The buckets of sources.
    let buckets: [S3Configuration]
    var output: OutputSettings
    /// The settings by which stored sources and results are judged.
    var rules: StoredRules
    var offered: AcceptedFormats
    var watermark: WatermarkSource?
    /// The fallback picture as a source.
    var fallback: SourcePolicy.Reference?
    /// The settings that can change results, as text for result keys.
    var fingerprint: String
    var purgeTokens: [String]
    var logged: LoggedTarget
    /// The targets that were answered from memory under these settings. A reload creates new settings with an empty
    /// table.
    let answered = AnsweredTargets()

    /// Parses and checks a configuration. Blocks while it reads the files of the watermark and the fallback.
    ///
    /// - Parameter checksReferences: False if ``ServiceConfiguration/checkSettings()`` was called before, or must not be
    ///   called: after a reload, a setting can refer to one that needs a restart.
    init(_ configuration: ServiceConfiguration, checksReferences: Bool = true) throws(ConfigurationError) {
        let parsed = try ConfigurationTable.parsed(configuration)
        try configuration.checkContradictions()
        let references = try SettingReferences(configuration, parsed)
        if checksReferences { try references.check() }
        self.configuration = configuration
        imgproxy = try Self.imgproxy(configuration, parsed, references.presets)
        thumbor = try Self.thumbor(configuration, imgproxy.presets)
        buckets = references.buckets
        sources = Self.sources(configuration, parsed, buckets: buckets)
        storage = sources.storage
        output = try Self.output(configuration, parsed)
        rules = StoredRules(
            policy: Self.downloadPolicy(parsed, sources), output: output,
            bounds: Lifetime.Bounds(
                standard: configuration.ttl, least: configuration.minTTL, most: configuration.maxTTL,
                staleWhileRevalidate: configuration.staleWhileRevalidate, staleIfError: configuration.staleIfError),
            negativeTTL: configuration.negativeTTL)
        offered = []
        if configuration.offersAVIF { offered.insert(.avif) }
        if configuration.offersWebP { offered.insert(.webp) }
        if configuration.offersJPEGXL { offered.insert(.jxl) }
        watermark = try Self.watermark(configuration)
        fallback = try Self.fallback(configuration, output)
        purgeTokens = configuration.purgeTokens
        logged = LoggedTarget(prefix: configuration.pathPrefix, thumborPrefix: configuration.thumborPrefix)
        fingerprint = "2 \(output.keyText) \(watermark?.digest ?? "")"
        try checkLimitsOfPresets()
    }

    /// With such a preset, every target would be refused.
    private func checkLimitsOfPresets() throws(ConfigurationError) {
        for (index, definition) in configuration.presets.enumerated() {
            do throws(ServiceRefusal) {
                try check(imgproxy.presets.limits(of: definition.prefix { $0 != "=" }))
            } catch {
                throw ConfigurationError("preset", error.message, index: index)
            }
        }
    }

    /// Reads and decodes the watermark, so that a file that is not a picture is reported at the start.
    private static func watermark(_ configuration: ServiceConfiguration) throws(ConfigurationError) -> WatermarkSource?
    {
        guard let data = try file("watermark", configuration.watermark) else { return nil }
        let source = WatermarkSource(data: data, opacity: Double(configuration.watermarkOpacity) / 100)
        do throws(WebImageError) {
            _ = try source.drawing()
        } catch {
            throw ConfigurationError("watermark", "the file is not a picture that can be read")
        }
        return source
    }

    private static func fallback(
        _ configuration: ServiceConfiguration, _ output: OutputSettings
    ) throws(ConfigurationError) -> SourcePolicy.Reference? {
        let status = configuration.fallbackStatus
        // Answers with the other statuses have no body, or mean something else to caches and clients.
        guard status == 0 || status == 200 || status == 203 || (400...599).contains(status) else {
            throw ConfigurationError("fallback-status", "\(status) is none of 0, 200, 203 and 400 to 599")
        }
        guard let data = try file("fallback", configuration.fallback) else { return nil }
        var options = DecodingOptions()
        options.limits = output.decoding
        options.firstFrameOnly = true
        do throws(WebImageError) {
            _ = try ImageCodersManager.shared.decode(data, options: options)
        } catch {
            throw ConfigurationError("fallback", "the file is not a picture that can be read")
        }
        return SourcePolicy.Reference(
            key: "fallback", location: .fallback(data), host: "fallback", fileVersion: EntityTag.tag(of: data))
    }

    private static func file(_ name: String, _ path: String) throws(ConfigurationError) -> Data? {
        guard !path.isEmpty else { return nil }
        guard let file = ServiceFile(path: path), (1...(20 << 20)).contains(file.byteCount) else {
            throw ConfigurationError(name, "\(path) cannot be read, is empty or larger than 20 MB")
        }
        return file.bytes(in: 0..<file.byteCount)
    }

    static func imgproxy(
        _ configuration: ServiceConfiguration, _ parsed: ParsedSettings, _ presets: PresetTable
    ) throws(ConfigurationError) -> ImgproxyRouter {
        var router = ImgproxyRouter()
        router.signing = try signing(configuration, parsed)
        router.presets = presets
        router.onlyPresets = configuration.onlyPresets
        router.allowedOptions = Set(configuration.allowedOptions)
        router.allowsLimits = configuration.allowsSecurityOptions
        router.base64HasFilename = configuration.base64IncludesFilename
        return router
    }

    static func signing(
        _ configuration: ServiceConfiguration, _ parsed: ParsedSettings
    ) throws(ConfigurationError) -> SigningPolicy {
        var policy = SigningPolicy()
        let (keys, salts) = (parsed.keys.count, parsed.salts.count)
        guard keys == salts else {
            throw ConfigurationError(
                keys > salts ? "key" : "salt",
                "there must be as many salts as keys, and there are \(salts) and \(keys)",
                index: min(keys, salts))
        }
        policy.signers = zip(parsed.keys, parsed.salts).map { key, salt in
            URLSigner(key: Data(key), salt: Data(salt), byteCount: configuration.signatureSize)
        }
        policy.trusted = Set(configuration.trustedSignatures)
        return policy
    }

    static func thumbor(
        _ configuration: ServiceConfiguration, _ presets: PresetTable
    ) throws(ConfigurationError) -> ThumborRouter? {
        guard !configuration.thumborPrefix.isEmpty else { return nil }
        // If only imgproxy's grammar had keys, clients could use unsigned targets in thumbor's grammar to avoid
        // signatures.
        if configuration.thumborKeys.isEmpty, !configuration.keys.isEmpty, !configuration.allowsUnsafeThumbor {
            throw ConfigurationError(
                "thumbor", "keys are set for imgproxy's grammar and none for thumbor's; set thumbor-key")
        }
        // Thumbor's grammar has no presets. With this grammar, clients could use any options in spite of `only-presets`.
        guard !configuration.onlyPresets else {
            throw ConfigurationError(
                "only-presets", "thumbor's grammar has no presets; unset thumbor, or use allowed-options instead")
        }
        var router = ThumborRouter()
        router.allowedOptions = Set(configuration.allowedOptions)
        router.limits = presets.limits(of: PresetTable.defaultName[...])
        router.signers = configuration.thumborKeys.compactMap { ThumborSigner(key: $0) }
        router.allowsUnsafe = configuration.allowsUnsafeThumbor
        return router
    }

    static func buckets(
        _ configuration: ServiceConfiguration
    ) throws(ConfigurationError) -> [S3Configuration] {
        var buckets: [S3Configuration] = []
        for (index, address) in configuration.s3Sources.enumerated() {
            do throws(WebImageError) {
                buckets.append(try S3Configuration(url: address))
            } catch {
                throw ConfigurationError(
                    "s3-source", "'\(address)' is no address of a bucket. \(error.hint ?? "")", index: index)
            }
        }
        if let bucket = Dictionary(grouping: buckets, by: \.bucket).first(where: { $0.value.count > 1 })?.key {
            throw ConfigurationError("s3-source", "the bucket \(bucket) has two addresses")
        }
        for (number, key) in configuration.s3Keys.enumerated() {
            // The text is a secret, so the error contains only its position.
            let parts = key.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
            guard parts.count >= 3, !parts.contains("") else {
                throw ConfigurationError("s3-key", "the key \(number + 1) is not BUCKET:ID:SECRET", index: number)
            }
            guard let index = buckets.firstIndex(where: { $0.bucket == parts[0] }) else {
                throw ConfigurationError(
                    "s3-key", "the bucket of the key \(number + 1) is not in s3-source", index: number)
            }
            buckets[index].credentials = .fixed(
                S3Credentials(keyID: parts[1], secret: parts[2], sessionToken: parts.count > 3 ? parts[3] : nil))
        }
        // The profile of a bucket with a key is not used.
        for (index, bucket) in buckets.enumerated() {
            if let problem = bucket.missingName { throw ConfigurationError("s3-source", problem, index: index) }
        }
        return buckets
    }

    private static func sources(
        _ configuration: ServiceConfiguration, _ parsed: ParsedSettings, buckets: [S3Configuration]
    ) -> SourcePolicy {
        var policy = SourcePolicy()
        policy.storage = StorageRules(parsed.storeRules)
        policy.buckets = Dictionary(
            buckets.map { ($0.bucket, SourcePolicy.Bucket(prefix: $0.prefix, endpoint: $0.endpoint)) }
        ) { first, _ in first }
        policy.allowed = parsed.allowedSources
        policy.baseURL = configuration.baseURL
        policy.root = configuration.root.isEmpty ? nil : configuration.root
        policy.replacements = parsed.replacements
        return policy
    }

    private static func output(
        _ configuration: ServiceConfiguration, _ parsed: ParsedSettings
    ) throws(ConfigurationError) -> OutputSettings {
        var settings = OutputSettings()
        settings.quality = configuration.quality
        var given: Set<OutputFormat> = []
        for (format, quality) in parsed.formatQualities {
            guard given.insert(format).inserted else {
                throw ConfigurationError("format-quality", "\(format.rawValue) occurs twice; remove one")
            }
            settings.formatQuality[format] = quality
        }
        settings.isProgressive = configuration.isProgressive
        settings.decoding.maxEncodedBytes = configuration.maxSourceBytes
        settings.decoding.maxPixels = configuration.maxSourceMegapixels * 1_000_000
        settings.decoding.maxDecodeTime = .seconds(configuration.decodeTimeout)
        settings.maxWorkBytes = configuration.maxResultMemory
        settings.decoding.maxDecodeBytes = min(settings.decoding.maxDecodeBytes, configuration.maxResultMemory)
        if !parsed.sourceFormats.isEmpty { settings.sourceFormats = Set(parsed.sourceFormats) }
        settings.maxFrames = configuration.maxAnimationFrames
        settings.maxAnimationPixels = configuration.maxAnimationMegapixels * 1_000_000
        settings.maxResultSide = configuration.maxResultDimension
        settings.maxResultPixels = configuration.maxResultMegapixels * 1_000_000
        return settings
    }

    /// Parses a path after the path prefix. Stores the grammar of the path in `route`, also if the path is refused.
    func target(of path: Substring, _ route: inout ServiceLogEntry.Route) throws(ServiceRefusal) -> ImageTarget {
        if let thumbor, let inner = Self.inside(path, configuration.thumborPrefix) {
            route = .thumbor
            return try thumbor.parse(inner)
        }
        if let inner = Self.inside(path, "/info") {
            route = .info
            var target = try imgproxy.parse(inner)
            target.kind = .info
            return target
        }
        route = .imgproxy
        return try imgproxy.parse(path)
    }

    /// Returns the part of a path after a prefix. The returned part begins with a slash. Returns nil if the path does
    /// not begin with the prefix followed by a slash.
    static func inside(_ path: Substring, _ prefix: String) -> Substring? {
        guard path.hasPrefix(prefix + "/") else { return nil }
        return path.dropFirst(prefix.count)
    }

    /// The download policy for sources: the allowed hosts and addresses.
    var downloadPolicy: DownloadPolicy { rules.policy }

    private static func downloadPolicy(_ parsed: ParsedSettings, _ sources: SourcePolicy) -> DownloadPolicy {
        var policy = DownloadPolicy.server
        policy.allowedHosts = sources.allowedHosts
        policy.allowedAddresses = parsed.allowedAddresses
        return policy
    }

    /// ``rules`` for a target with limits of its own.
    func rules(bounded limits: ProcessingOptions.Limits) -> StoredRules {
        StoredRules(
            policy: rules.policy, judgesAddresses: rules.judgesAddresses, output: output.bounded(by: limits),
            bounds: rules.bounds, negativeTTL: rules.negativeTTL)
    }

    /// Whether the download policy allows a host to which a source redirected when it was fetched. The policy can have
    /// changed since then.
    func allowsRedirect(to origin: String?) -> Bool {
        guard let origin else { return true }
        return URL(string: origin).map { downloadPolicy.refusal(of: $0) == nil } ?? false
    }

    /// Refuses a request if one of its limits exceeds the server's limit. Without this check, the server would silently
    /// apply its own lower limit, and the client would receive no error.
    func check(_ limits: ProcessingOptions.Limits) throws(ServiceRefusal) {
        guard limits != ProcessingOptions.Limits() else { return }
        for (name, wanted, allowed) in [
            ("max_src_resolution", limits.maxSourcePixels, output.decoding.maxPixels),
            ("max_src_file_size", limits.maxSourceBytes, output.decoding.maxEncodedBytes),
            ("max_animation_frames", limits.maxFrames, output.maxFrames),
            ("max_result_dimension", limits.maxResultDimension, output.maxResultSide),
        ] {
            if let wanted, wanted > allowed { throw .option(name, "above the limit of the service") }
        }
    }
}
