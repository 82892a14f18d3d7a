import Foundation
import Testing
import WebImage
import WebImageHTTP
import WebImageTestTraits
import WebImageTesting

/// Loads one URL while a request modifier sets the credentials of changing users, as code ported from iOS does. The
/// model is one set of users: a picture is fetched once for each user, is found in the caches afterwards, also after a
/// restart, and is never delivered to another user.
@Suite(.timeLimit(minutes: 5))
struct ModifierCredentialTests {
    enum User: String, CaseIterable {
        case nobody, lin, grace
        /// The width of the user's picture.
        var width: Int { rawValue.count + 10 }
    }

    /// Where a program sets its modifier.
    enum Place: CaseIterable { case downloader, context }

    /// A modifier that sets the field of the current user.
    private final class Session: Sendable {
        let user = Locked(User.nobody)
        private let field: String

        init(_ field: String) { self.field = field }

        func modifier() -> WebImageDownloaderRequestModifier {
            WebImageDownloaderRequestModifier { [self] request in
                var request = request
                let user = user.withLock { $0 }
                if user != .nobody { request.setValue("token=\(user)", forHTTPHeaderField: field) }
                return request
            }
        }
    }

    /// A manager over a folder that outlives it.
    private struct App {
        let cache: ImageCache
        let downloader = WebImageDownloader(config: .default)
        let manager: WebImageManager
        let context: WebImageContext?

        init(_ folder: URL, _ session: Session, _ place: Place) {
            cache = ImageCache(namespace: "app", diskCacheDirectory: folder.path)
            cache.config.shouldUseWeakMemoryCache = false
            manager = WebImageManager(cache: cache, loader: downloader)
            let modifier = session.modifier()
            if place == .downloader { downloader.requestModifier = modifier }
            context = place == .context ? [.downloadRequestModifier: modifier] : nil
        }

        func isOnDisk(_ url: URL) -> Bool {
            let key = context == nil ? manager.cacheKey(for: url) : manager.cacheKey(for: url, context: context)
            return key.map { cache.diskImageDataSync(forKey: $0) } ?? nil != nil
        }
    }

    /// All orders of four loads of three users: log-in, log-out, switch and return.
    private static let orders: [[User]] = (0..<81).map { number in
        [1, 3, 9, 27].map { User.allCases[number / $0 % 3] }
    }

    @Test(arguments: Place.allCases, ["Authorization", "Cookie"])
    func everyOrderOfUsersFetchesOncePerUser(place: Place, field: String) async throws {
        let server = try FaultServer()
        defer { server.stop() }
        let files = try Dictionary(
            uniqueKeysWithValues: User.allCases.map {
                ($0 == .nobody ? "" : "token=\($0)", try Journey.file(width: $0.width))
            })
        for (number, order) in Self.orders.enumerated() {
            let scratch = try ScratchFolder()
            let path = "/\(number).png"
            server.route(
                path,
                .dynamic { request in
                    files[request.headers[field.lowercased()] ?? ""].map { .body($0) } ?? .status(401)
                })
            let url = server.url(path)
            let session = Session(field)
            var known: Set<User> = []
            for restart in 0..<2 {
                let app = App(scratch.url, session, place)
                var inMemory: Set<User> = []
                for user in order {
                    session.user.withLock { $0 = user }
                    #expect(app.isOnDisk(url) == known.contains(user), "\(order), \(user)")
                    let result = try await app.manager.result(for: url, context: app.context)
                    let expected: ImageCacheType =
                        inMemory.contains(user) ? .memory : known.contains(user) ? .disk : .none
                    #expect(result.image.pixelSize.width == user.width, "\(order), \(user), restart \(restart)")
                    #expect(result.cacheType == expected, "\(order), \(user), restart \(restart)")
                    await app.cache.flush()
                    known.insert(user)
                    inMemory.insert(user)
                }
            }
            #expect(server.requestCount(path) == known.count, "\(order)")
        }
    }

    @Test func credentialsOfOneUseAreReportedOnceWithTheCure() async throws {
        let journey = try Journey()
        let log = Warnings()
        WebImageLog.shared.destination = log
        defer { WebImageLog.shared.destination = nil }
        let count = Locked(0)
        journey.downloader.requestModifier = WebImageDownloaderRequestModifier { request in
            var request = request
            let number = count.withLock {
                $0 += 1; return $0
            }
            request.setValue("Signature \(number)", forHTTPHeaderField: "Authorization")
            return request
        }
        journey.server.route("/mine.png", .body(try Journey.file()))
        let url = journey.server.url("/mine.png")
        for _ in 0..<20 { #expect(try await journey.manager.result(for: url).cacheType == .none) }
        #expect(journey.server.requestCount("/mine.png") == 20)
        let warnings = log.all { $0.contains("request modifier") }
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("cacheScope") == true)
        #expect(journey.manager.cacheKey(for: url) == nil)
        // The cure from the log.
        let context: WebImageContext = [.cacheScope: "lin"]
        for origin in [ImageCacheType.none, .memory] {
            #expect(try await journey.manager.result(for: url, context: context).cacheType == origin)
        }
    }

    /// Records the messages of the log.
    private final class Warnings: WebImageLogging {
        private let messages = Locked<[String]>([])

        func all(_ matches: (String) -> Bool) -> [String] { messages.withLock { $0 }.filter(matches) }

        func log(_ level: WebImageLogLevel, _ message: String, metadata: [String: String]) {
            if level == .warning { messages.withLock { $0.append(message) } }
        }
    }
}
