import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTesting

@testable import WebImageHTTP

/// A `LoadIdentity` contains, for example, the URL, header fields, credentials and proxy of a load. Loads share a
/// download only if all these members are equal. Loads with different credentials share no cache entries. Otherwise
/// one user could receive the image of another user.
struct IdentityTests {
    private let url: URL
    private let downloader = WebImageDownloader(config: .default, engine: CurlEngine())

    init() throws { url = try #require(URL(string: "https://host.example/a.png")) }

    private func identity(
        _ change: (inout WebImageDownloaderConfig) -> Void = { _ in }, url: URL? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil
    ) -> LoadIdentity {
        var config = WebImageDownloaderConfig.default
        change(&config)
        downloader.config = config
        let load = ImageDataLoad(url: url ?? self.url, options: options, context: context)
        let identity = downloader.identity(of: load)
        if identity.sharing != nil { #expect(downloader.cacheScope(of: load) == identity.cacheScope) }
        return identity
    }

    private func modifier(_ field: String, _ value: String, scope: CacheScope? = nil) -> WebImageContext {
        [.downloadRequestModifier: WebImageDownloaderRequestModifier(headers: [field: value], cacheScope: scope)]
    }

    @Test func equalLoadsAreShared() {
        #expect(identity() == identity())
        #expect(identity().sharing != nil)
        #expect(identity().cacheScope == .shared)
        #expect(identity(options: [.highPriority, .progressiveLoad, .refreshCached]) == identity())
    }

    @Test func urlSetsApart() throws {
        let other = try #require(URL(string: "https://host.example/a.png?x"))
        #expect(identity(url: other).sharing != identity().sharing)
    }

    @Test func authorizationSeparatesIdentitiesAndScopesByItsHash() {
        let plain = identity()
        downloader.setValue("Bearer one", forHTTPHeaderField: "Authorization")
        let one = identity()
        downloader.setValue("Bearer two", forHTTPHeaderField: "Authorization")
        let two = identity()
        #expect(Set([plain.sharing, one.sharing, two.sharing]).count == 3)
        #expect(Set([plain.cacheScope, one.cacheScope, two.cacheScope]).count == 3)
        #expect(!"\(one.cacheScope)".contains("one"))
        #expect(identity().cacheScope == two.cacheScope)
    }

    @Test func userAndPasswordSeparateIdentities() {
        let one = identity { ($0.username, $0.password) = ("a", "b") }
        let two = identity { ($0.username, $0.password) = ("a", "c") }
        #expect(Set([one, two, identity()]).count == 3)
        #expect(Set([one.cacheScope, two.cacheScope, .shared]).count == 3)
    }

    @Test func decryptorSeparatesIdentities() {
        let one = identity(context: [.downloadDecryptor: WebImageDownloaderDecryptor.base64])
        let two = identity(context: [.downloadDecryptor: WebImageDownloaderDecryptor { data, _ in data }])
        #expect(Set([one.sharing, two.sharing, identity().sharing]).count == 3)
        #expect(identity(context: [.downloadDecryptor: WebImageDownloaderDecryptor.base64]) == one)
    }

    @Test func responseModifierSetsApart() {
        let modifier = WebImageDownloaderResponseModifier(statusCode: 200)
        #expect(identity(context: [.downloadResponseModifier: modifier]).sharing != identity().sharing)
    }

    @Test func proxySeparatesIdentities() {
        #expect(identity { $0.proxy = "http://127.0.0.1:1" }.sharing != identity().sharing)
        #expect(identity { $0.proxy = "" }.sharing != identity().sharing)
    }

    @Test func clientCertificateSetsApartAndScopes() {
        let one = identity { $0.clientCertificate = ClientCertificate(certificateFile: "/a.pem") }
        #expect(one.sharing != identity().sharing)
        #expect(one.cacheScope != .shared)
    }

    @Test func uncheckedCertificatesHaveAScopeOfTheirOwn() {
        let unchecked = identity(options: .allowInvalidSSLCertificates)
        #expect(unchecked.sharing != identity().sharing)
        #expect(unchecked.cacheScope == .scoped("!unchecked"))
        // Loads with and without certificate checks have different scopes even if the caller names the same scope.
        let named: WebImageContext = [.cacheScope: "alice"]
        #expect(
            identity(options: .allowInvalidSSLCertificates, context: named).cacheScope
                != identity(context: named).cacheScope)
    }

    @Test func cookiesSeparateIdentitiesAndScopes() {
        let cookies = identity(options: .handleCookies)
        #expect(cookies.sharing != identity().sharing)
        #expect(cookies.cacheScope != .shared && cookies.cacheScope != .unstored)
        #expect(cookies == identity(options: .handleCookies))
    }

    @Test func eachJarOfCookiesHasItsScope() {
        let load = ImageDataLoad(url: url, options: .handleCookies)
        let other = WebImageDownloader(config: .default, engine: CurlEngine())
        #expect(other.identity(of: load).cacheScope != downloader.identity(of: load).cacheScope)
        // The scopes of the two downloaders also differ if certificates are not checked, or if both
        // downloaders send the same credentials.
        let unchecked = ImageDataLoad(url: url, options: [.handleCookies, .allowInvalidSSLCertificates])
        #expect(other.cacheScope(of: unchecked) != downloader.cacheScope(of: unchecked))
        for downloader in [downloader, other] {
            downloader.setValue("Bearer one", forHTTPHeaderField: "Authorization")
        }
        #expect(other.cacheScope(of: load) != downloader.cacheScope(of: load))
    }

    @Test func namedScopeOutlivesTheJar() {
        let load = ImageDataLoad(url: url, options: .handleCookies, context: [.cacheScope: "alice"])
        let other = WebImageDownloader(config: .default, engine: CurlEngine())
        #expect(other.cacheScope(of: load) == downloader.cacheScope(of: load))
        #expect(
            downloader.cacheScope(of: load)
                != downloader.cacheScope(of: ImageDataLoad(url: url, context: [.cacheScope: "alice"])))
    }

    @Test func rangeSetsApart() {
        let range = identity(context: modifier("Range", "bytes=0-9"))
        #expect(range.sharing != identity().sharing)
    }

    @Test func modifierThatChangesNothingKeepsTheIdentity() {
        let fields = identity(context: modifier("X-Size", "1"))
        #expect(fields.cacheScope == .shared)
        #expect(fields.sharing != identity().sharing)
        #expect(fields == identity(context: modifier("X-Size", "1")))
    }

    @Test(arguments: ["Authorization", "cookie", "Proxy-Authorization"])
    func undeclaredCredentialsHaveTheScopeOfTheirValue(field: String) throws {
        let one = identity(context: modifier(field, "secret"))
        let two = identity(context: modifier(field, "other"))
        #expect(one == identity(context: modifier(field, "secret")))
        #expect(Set([one.cacheScope, two.cacheScope, .shared, .unstored]).count == 4)
        #expect(Set([one.sharing, two.sharing, identity().sharing]).count == 3)
        let elsewhere = try #require(URL(string: "https://other.example/a.png"))
        #expect(identity(url: elsewhere, context: modifier(field, "secret")).cacheScope != one.cacheScope)
        #expect(!"\(one.cacheScope)".contains("secret"))
    }

    @Test func credentialsOfOneUseAreNeitherSharedNorStored() {
        let count = Locked(0)
        let signs = Locked(true)
        let modifier = WebImageDownloaderRequestModifier { request in
            var request = request
            let number =
                signs.withLock { $0 }
                ? count.withLock {
                    $0 += 1; return $0
                } : 0
            request.setValue("Signature \(number)", forHTTPHeaderField: "Authorization")
            return request
        }
        downloader.requestModifier = modifier
        let load = ImageDataLoad(url: url)
        let scopes = (0..<12).map { _ in downloader.identity(of: load).cacheScope }
        #expect(Set(scopes).count == ModifierCredentials.limit + 1)
        #expect(scopes.suffix(4) == Array(repeating: .unstored, count: 4))
        #expect(downloader.identity(of: load).sharing == nil)
        // A value that is used again has a scope again.
        signs.withLock { $0 = false }
        #expect(downloader.identity(of: load).cacheScope == .unstored)
        #expect(downloader.identity(of: load).cacheScope != .unstored)
    }

    @Test func usersThatTakeTurnsKeepTheirScopes() {
        var memory = ModifierCredentials()
        let source = ModifierCredentials.Source(modifier: "m", origin: "o")
        // A new token for each page of two pictures, and signatures that depend on the URL alone.
        for page in 0..<100 {
            for picture in ["a", "b"] {
                #expect(memory.verdict(on: "token \(page)", of: picture, from: source) == .stored)
            }
        }
        for _ in 0..<2 {
            for picture in 0..<100 {
                #expect(memory.verdict(on: "signature \(picture)", of: "\(picture)", from: source) == .stored)
            }
        }
    }

    @Test func declaredCredentialsHaveTheirScope() {
        let alice = identity(context: modifier("Authorization", "a", scope: .scoped("alice")))
        let bob = identity(context: modifier("Authorization", "b", scope: .scoped("bob")))
        #expect(alice.sharing != nil)
        #expect(alice.sharing != bob.sharing)
        #expect(Set([alice.cacheScope, bob.cacheScope, .shared]).count == 3)
        #expect(identity(context: modifier("Authorization", "a", scope: .shared)).cacheScope == .shared)
    }

    @Test func scopedKeysDiffer() {
        #expect(CacheScope.shared.key("k") == "k")
        #expect(CacheScope.scoped("a").key("k") != CacheScope.scoped("b").key("k"))
        #expect(CacheScope.unstored.key("k") == nil)
    }

    @Test func refusedLoadsAreNotShared() throws {
        let local = try #require(URL(string: "http://127.0.0.1/"))
        #expect(identity({ $0.policy = .server }, url: local).sharing == nil)
    }

    @Test func eachValueOfUndeclaredCredentialsIsRequestedAndMayBeStored() async throws {
        try await withDownloader { server, downloader in
            let gate = FaultGate()
            server.route("/a", .gated(gate, .body(Data("a".utf8))))
            let tasks = ["one", "two"].map { secret in
                let load = ImageDataLoad(url: server.url("/a"), context: modifier("Authorization", secret))
                return Task { try await downloader.loadData(for: load, progress: nil) }
            }
            try await eventually("two requests") { server.requestCount("/a") == 2 }
            gate.open()
            for task in tasks { try await #expect(task.value.mayBeStored) }
        }
    }
}
