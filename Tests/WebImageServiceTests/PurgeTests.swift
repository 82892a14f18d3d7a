import Foundation
import Testing
import WebImage
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

private typealias Fix = PictureFixtures

@Suite struct PurgeTableTests {
    private func table(_ purges: (CachePurge.Subject, Bool, Int)...) -> PurgeTable {
        var table = PurgeTable()
        for (subject, isSoft, stamp) in purges { table.add(CachePurge(subject, isSoft: isSoft, stamp: stamp)) }
        return table
    }

    @Test func entryIsPurgedByItsTagsAndSourceUnlessItKnowsThePurge() {
        let source = "https://a.example/x/1.jpg"
        let table = table(
            (.tag("hard"), false, 10), (.tag("soft"), true, 20), (.prefix("https://a.example/x/"), true, 30),
            (.prefix("https://b.example/"), false, 40))
        func verdict(_ tags: [String], _ source: String, _ seen: Int) -> PurgeTable.Verdict {
            table.verdict(tags: tags, source: source, seen: seen)
        }
        #expect(verdict(["other"], "https://c.example/", 0) == .valid)
        #expect(verdict(["other", "hard"], "https://c.example/", 9) == .hard)
        #expect(verdict(["hard"], "https://c.example/", 10) == .valid)
        #expect(verdict(["soft", "hard"], "https://c.example/", 9) == .hard)
        #expect(verdict(["soft", "hard"], "https://c.example/", 10) == .soft)
        #expect(verdict([], source, 29) == .soft && verdict([], source, 30) == .valid)
        #expect(verdict([], "https://a.example/x", 0) == .valid)
        #expect(verdict(["soft"], "https://b.example/", 39) == .hard)
        #expect(verdict(["soft"], "https://b.example/", 40) == .valid)
        #expect(table.stamp == 40 && table.all.map(\.stamp) == [10, 20, 30, 40])
    }

    /// A purge of another machine that is older than one of this machine receives a larger stamp than every entry has.
    @Test func latePurgesOvertakeAllEntries() {
        var table = table((.tag("a"), false, 100), (.tag("b"), true, 90))
        let late = [CachePurge(.tag("a"), isSoft: false, stamp: 40), CachePurge(.tag("c"), isSoft: true, stamp: 30)]
        #expect(late.allSatisfy { !table.knows($0) })
        #expect(table.all.allSatisfy { table.knows($0) })
        let sent = table.overtaking(late, in: table.all)
        #expect(
            sent == [
                CachePurge(.tag("b"), isSoft: true, stamp: 90), CachePurge(.tag("c"), isSoft: true, stamp: 101),
                CachePurge(.tag("a"), isSoft: false, stamp: 102),
            ])
        #expect(table.verdict(tags: ["a"], source: "", seen: 101) == .hard)
        #expect(table.verdict(tags: ["c"], source: "", seen: 100) == .soft)
        #expect(table.overtaking([], in: []) == [])
    }

    @Test func purgesThatWereMissedMayConcernEveryEntry() {
        var table = table((.tag("a"), false, 10))
        table.missed(upTo: 20)
        #expect(table.verdict(tags: [], source: "https://a.example/", seen: 19) == .hard)
        #expect(table.verdict(tags: ["b"], source: "https://a.example/", seen: 20) == .valid)
    }

    /// A table that forgets purges never lets an entry pass that a table of all purges refuses.
    @Test func forgottenPurgesStillHold() {
        var random = SeededRandom.printingSeed()
        for _ in 0..<50 {
            var (small, whole) = (PurgeTable(most: 8), PurgeTable())
            for stamp in 1...60 {
                let name = "\(Int.random(in: 0..<20, using: &random))"
                let subject: CachePurge.Subject = Bool.random(using: &random) ? .tag(name) : .prefix("s\(name)")
                let purge = CachePurge(subject, isSoft: Bool.random(using: &random), stamp: stamp)
                small.add(purge)
                whole.add(purge)
                #expect(small.all.count <= 16)
                let tags = (0..<Int.random(in: 0..<3, using: &random)).map { _ in
                    "\(Int.random(in: 0..<20, using: &random))"
                }
                let source = "s\(Int.random(in: 0..<20, using: &random))"
                let seen = Int.random(in: 0...stamp, using: &random)
                let verdict = whole.verdict(tags: tags, source: source, seen: seen)
                let found = small.verdict(tags: tags, source: source, seen: seen)
                #expect(found == verdict || found == .hard, "\(purge) \(tags) \(source) \(seen) of seed \(random.seed)")
                if seen == stamp { #expect(found == .valid) }
            }
        }
    }

    @Test func storedPurgesOfEveryVersionAreRead() throws {
        var table = table((.tag("a"), false, 10), (.prefix("https://x/"), true, 20))
        table.missed(upTo: 5)
        let stored = StoredPurges(
            try JSONEncoder().encode(StoredPurges(table, positions: ["a": CachePurgePosition(logID: "x", count: 3)])))
        #expect(stored.purges == table.all && stored.floors == table.floors && stored.positions?["a"]?.count == 3)
        // An older version stored no more than the purges.
        let old = StoredPurges(try JSONEncoder().encode(table.all))
        #expect(old.purges == table.all && old.floors == PurgeTable.Floors() && old.positions == nil)
        #expect(StoredPurges(Data("{".utf8)).purges.isEmpty)
    }

    @Test func linesOfALogAreRead() {
        for purge in [
            CachePurge(.tag("a:b c"), isSoft: true, stamp: 1),
            CachePurge(.prefix("https://x/"), isSoft: false, stamp: 5),
            CachePurge(.source("0123"), isSoft: true, stamp: 5),
        ] {
            #expect(CachePurge(line: "\(purge.stamp) \(purge.text)") == purge)
        }
        for line in ["", "1", "1 t", "1 t ", "x t a", "0 t a", "-1 t a", "1 z a"] {
            #expect(CachePurge(line: line) == nil)
        }
    }

    /// All tags of all lines, up to bounds. Beyond them, the response is known to have more.
    @Test func tagsOfAnOriginAreBounded() {
        #expect(CacheTags.tags(["cache-tag": " a, b ,,a\u{7F},ü,c d", "surrogate-key": "b  e"]) == ["a", "b", "e"])
        // Two lines of a response are joined by a comma.
        #expect(CacheTags.tags(["surrogate-key": "a b, c"]) == ["a", "b", "c"])
        let most = (0..<CacheTags.most).map { "t\($0)" }
        for field in ["cache-tag", "surrogate-key"] {
            let separator = field == "cache-tag" ? "," : " "
            let exact = [field: most.joined(separator: separator)]
            #expect(CacheTags.tags(exact) == most && !CacheTags.isIncomplete(exact))
            let more = [field: (most + ["last"]).joined(separator: separator)]
            #expect(CacheTags.tags(more).count == CacheTags.most && CacheTags.isIncomplete(more))
            let longest = [field: String(repeating: "x", count: CacheTags.longest)]
            #expect(CacheTags.tags(longest).count == 1 && !CacheTags.isIncomplete(longest))
            let longer = [field: String(repeating: "x", count: CacheTags.longest + 1)]
            #expect(CacheTags.tags(longer).isEmpty && CacheTags.isIncomplete(longer))
            let long = [
                field: (0..<20).map { "\($0)" + String(repeating: "x", count: 900) }.joined(separator: separator)
            ]
            #expect(CacheTags.isIncomplete(long))
        }
    }
}

@Suite(.timeLimit(minutes: 1)) struct PurgeTests {
    private func purge(_ query: String, _ bench: ServiceBench) async -> ServiceResponse {
        await bench.service.respondToOperator(
            ServiceRequest(method: "POST", target: "/purge?" + query, headers: ["Authorization": "Bearer token"]))
    }

    private func bench(folder: ScratchFolder? = nil) throws -> ServiceBench {
        let bench = try ServiceBench(folder: folder) { $0.purgeTokens = ["token"] }
        bench.server.answer("http://example.com/shop/a.png", try Fix.quadrants(), ["Cache-Tag": "shop, product-1"])
        bench.server.answer("http://example.com/shop/b.png", try Fix.quadrants(), ["Surrogate-Key": "shop product-2"])
        return bench
    }

    private static let targets = [
        "/_/w:8/plain/http://example.com/shop/a.png", "/_/w:8/plain/http://example.com/shop/b.png",
        "/_/w:8/ct:front:product-1/plain/\(ServiceBench.url)", "/_/w:8/plain/\(ServiceBench.url)",
    ]

    private func made(_ bench: ServiceBench) async -> [Bool] {
        var made: [Bool] = []
        for target in Self.targets {
            let known = bench.service.respondFromMemory(to: ServiceRequest(target: target))
            let answer: ServiceResponse
            if let known { answer = known } else { answer = await bench.get(target) }
            #expect(answer.status == 200)
            made.append(answer.logEntry.outcome == .made)
        }
        return made
    }

    @Test(arguments: [
        ("tag=shop", [true, true, false, false]), ("tag=product-1", [true, false, true, false]),
        ("tag=front,product-2", [false, true, true, false]), ("tag=nothing", [false, false, false, false]),
        ("prefix=http%3A%2F%2Fexample.com%2Fshop%2F", [true, true, false, false]),
        ("prefix=HTTP://EXAMPLE.com", [true, true, true, true]),
        ("prefix=http://example.co", [false, false, false, false]),
    ])
    func groupIsMadeAgainAndOthersAreNot(query: String, remade: [Bool]) async throws {
        let bench = try bench()
        #expect(await made(bench) == [true, true, true, true])
        // The second answer from memory is found without reading the target.
        for _ in 0..<2 { #expect(await made(bench) == [false, false, false, false]) }
        let fetched = bench.server.fetchCount
        let answer = await purge(query, bench)
        #expect(answer.status == 200 && answer.text == "purged\n", "\(answer.text)")
        #expect(await made(bench) == remade)
        // The sources were fetched again, too. Two targets have one source.
        #expect((bench.server.fetchCount > fetched) == remade.contains(true))
        #expect(await made(bench) == [false, false, false, false])
    }

    @Test func purgeOutlivesARestartAndAnotherProcessSeesIt() async throws {
        let folder = try ScratchFolder()
        let first = try bench(folder: folder)
        #expect(await made(first) == [true, true, true, true])
        let second = try bench(folder: folder)
        await first.service.provider.store.flush()
        #expect(await made(second) == [false, false, false, false])
        #expect(await purge("tag=shop", first).status == 200)
        await first.service.provider.store.flush()
        second.clock.advance(by: .seconds(6))
        #expect(await made(second) == [true, true, false, false])
        let third = try bench(folder: folder)
        await second.service.provider.store.flush()
        third.clock.advance(by: .seconds(6))
        #expect(await made(third) == [false, false, false, false])
    }

    /// A process that is killed after its answer stores nothing more. The next one must know the purge.
    @Test(arguments: ["tag=shop", "prefix=http://example.com/shop/", "source=http://example.com/shop/a.png"])
    func purgeIsOnDiskBeforeItIsAnswered(query: String) async throws {
        let folder = try ScratchFolder()
        let first = try bench(folder: folder)
        #expect(await made(first) == [true, true, true, true])
        await first.service.provider.store.flush()
        #expect(await purge(query, first).status == 200)
        let second = try bench(folder: folder)
        #expect(await made(second).first == true)
        withExtendedLifetime(first) {}
    }

    /// On a full disk, the next process does not find the purge. The answer says so, and a purge with space is whole.
    @Test(
        .enabled(if: FailingFileSystem.isAvailable, "needs root and mount(8)"),
        arguments: [
            "tag=shop", "prefix=http://example.com/shop/", "source=http://example.com/shop/a.png",
            "target=/_/w:8/plain/http://example.com/shop/a.png",
        ])
    func purgeThatIsNotOnDiskIsNotCalledDone(query: String) async throws {
        let mount = try FailingFileSystem(bytes: 4 << 20)
        func bench() throws -> ServiceBench {
            let bench = try ServiceBench {
                $0.purgeTokens = ["token"]
                $0.cacheFolder = mount.path + "/cache"
            }
            bench.server.answer("http://example.com/shop/a.png", try Fix.quadrants(), ["Cache-Tag": "shop"])
            bench.server.answer("http://example.com/shop/b.png", try Fix.quadrants(), ["Surrogate-Key": "shop"])
            return bench
        }
        let first = try bench()
        #expect(await made(first) == [true, true, true, true])
        await first.service.provider.store.flush()
        await first.service.provider.fetcher.flush()
        let ballast = mount.path + "/ballast"
        #expect(FileManager.default.createFile(atPath: ballast, contents: nil))
        #expect(throws: (any Error).self) {
            let file = try #require(FileHandle(forWritingAtPath: ballast))
            while true { try file.write(contentsOf: Data(count: 4096)) }
        }
        let answer = await purge(query, first)
        #expect(answer.status == 200 && answer.text == "purged without the disk cache\n", "\(answer.text)")
        // This process obeys.
        #expect(await made(first).first == true)
        try FileManager.default.removeItem(atPath: ballast)
        #expect(await purge(query, first).text == "purged\n")
        let second = try bench()
        #expect(await made(second).first == true)
        withExtendedLifetime(first) {}
    }

    /// A source that is missing is found again after a purge, although its failure is remembered.
    @Test(arguments: ["tag=new", "tag=old", "prefix=http://example.com/", "source=http://example.com/late.png"])
    func purgeForgetsFailures(query: String) async throws {
        let bench = try bench()
        let (url, target) = ("http://example.com/late.png", "/_/ct:new/f:png/plain/http://example.com/late.png")
        if query == "tag=old" {
            bench.server.answer(url, try Fix.quadrants(), ["Cache-Control": "max-age=1", "Cache-Tag": "old"])
            #expect(await bench.get(target).status == 200)
            bench.clock.advance(by: .seconds(200_000))
            bench.server.fail(
                url, WebImageError(.invalidDownloadStatusCode, stage: .download, underlying: .http(status: 404)))
        }
        #expect(await bench.get(target).status == 404)
        bench.server.answer(url, try Fix.quadrants())
        #expect(await bench.get(target).logEntry.outcome == .negative)
        #expect(await purge("tag=other", bench).status == 200)
        #expect(await bench.get(target).logEntry.outcome == .negative)
        #expect(await purge(query, bench).status == 200)
        #expect(await bench.get(target).status == 200)
    }

    /// A prefix in the spelling of clients purges what it names, after replacements and the base URL.
    @Test func prefixIsReplacedAsSourcesAre() throws {
        func prefixes(_ prefix: String, _ replacements: [String], base: String = "") throws -> [String] {
            var sources = SourcePolicy()
            sources.replacements = try replacements.map { try #require(SourceReplacement($0)) }
            sources.baseURL = base
            let encoded = prefix.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            guard case .entries(let subjects) = try PurgeRequest(query: "prefix=\(encoded)", sources).subject else {
                return []
            }
            return subjects.map { if case .prefix(let text) = $0 { text } else { "" } }
        }
        let cdn = "cdn://=https://origin.example/pictures/"
        #expect(try prefixes("cdn://shop/", [cdn]) == ["https://origin.example/pictures/shop/"])
        #expect(try prefixes("cdn:", [cdn]) == ["https://origin.example/pictures/"])
        #expect(try prefixes("https://origin.example/pictures/", [cdn]) == ["https://origin.example/pictures/"])
        let assets = "https://assets.example/v1/=https://origin.example/a/"
        // Sources with this prefix can be replaced or not.
        #expect(
            try prefixes("https://assets.example/", [assets])
                == ["https://assets.example/", "https://origin.example/a/"])
        #expect(try prefixes("https://assets.example/v1/x", [assets]) == ["https://origin.example/a/x"])
        #expect(try prefixes("https://other.example/", [assets]) == ["https://other.example/"])
        let star = "https://*.example/=https://origin.example/${1}/"
        #expect(try prefixes("https://a.example/b", [star]).contains("https://origin.example/a/b"))
        #expect(try prefixes("https://a", [star]).contains("https://origin.example/"))
        #expect(throws: ServiceRefusal.self) { try prefixes("https://a", ["https://*.example/=https://${1}.origin/"]) }
        #expect(try prefixes("shop/", [], base: "https://origin.example/") == ["https://origin.example/shop/"])
        #expect(
            try prefixes("https://origin.example/shop/", [], base: "https://origin.example/")
                == ["https://origin.example/shop/"])
    }

    /// What no purge could reach is stored nowhere, and counted.
    @Test func resultWithTooManyTagsIsNotStored() async throws {
        let bench = try bench()
        let url = "http://example.com/many.png"
        for (count, outcome) in [(CacheTags.most, ServiceLogEntry.Outcome.memory), (CacheTags.most + 1, .made)] {
            let tags = (0..<count).map { "t\($0)" }.joined(separator: ",")
            bench.server.answer(url, try Fix.quadrants(), ["Cache-Control": "max-age=600", "Cache-Tag": tags])
            #expect(await purge("tag=t\(CacheTags.most - 1)", bench).status == 200)
            #expect(await bench.get("/_/f:png/plain/\(url)").logEntry.outcome == .made)
            #expect(await bench.get("/_/f:png/plain/\(url)").logEntry.outcome == outcome)
        }
        let metrics = await bench.service.respondToOperator(ServiceRequest(target: "/metrics")).text
        #expect(metrics.contains("webimage_sources_with_too_many_tags_total 2\n"))
    }

    @Test func softlyPurgedResultIsUsedWhileItIsMadeAgain() async throws {
        let bench = try bench()
        #expect(await made(bench) == [true, true, true, true])
        let old = await bench.get(Self.targets[0])
        bench.server.answer(
            "http://example.com/shop/a.png", try Fix.png(40, 40) { _, _ in Fix.blue }, ["Cache-Tag": "shop"])
        bench.server.close()
        #expect(await purge("tag=product-1&soft=yes", bench).status == 200)
        for _ in 0..<3 {
            let stale = await bench.get(Self.targets[0])
            #expect(stale.data == old.data && stale.logEntry.outcome == .stale)
        }
        #expect(await bench.get(Self.targets[1]).logEntry.outcome == .memory)
        bench.server.open()
        var new = await bench.get(Self.targets[0])
        let deadline = ContinuousClock.now + Sanitizer.time(.seconds(30))
        while new.data == old.data, ContinuousClock.now < deadline {
            new = await bench.get(Self.targets[0])
        }
        #expect(new.data != old.data && new.logEntry.outcome == .memory)
        // The new source has another tag, so a purge of the old tag changes nothing.
        #expect(await purge("tag=product-1", bench).status == 200)
        #expect(await bench.get(Self.targets[0]).logEntry.outcome == .memory)
    }

    @Test func requestAfterAPurgeReceivesNoResultOfWorkThatBeganBefore() async throws {
        let bench = try bench()
        let (old, new) = (try Fix.png(8, 8) { _, _ in Fix.red }, try Fix.png(8, 8) { _, _ in Fix.blue })
        bench.server.answer("http://example.com/shop/a.png", old, ["Cache-Tag": "shop"])
        let target = "/_/f:png/plain/http://example.com/shop/a.png"
        bench.server.close()
        let before = Task { await bench.get(target) }
        #expect(await eventually { bench.server.fetchCount == 1 })
        #expect(await purge("tag=shop", bench).status == 200)
        let after = Task { await bench.get(target) }
        #expect(await eventually { bench.service.provider.subscriberCount == 2 })
        // The first fetch receives the old bytes, every later one the new ones.
        bench.server.answerOnce("http://example.com/shop/a.png", then: new)
        bench.server.open()
        let (first, second) = (await before.value, await after.value)
        #expect(first.status == 200 && second.status == 200)
        let image = try ImageCodersManager.shared.decode(second.data, options: DecodingOptions())
        #expect(Look(image: image).shows(Fix.blue, 1, 1))
    }

    @Test(arguments: [
        "tag=", "tag=a b", "tag=%C3%BC", "tag=a&soft=maybe", "tag=a&b=c", "tag=a&soft=yes&soft=yes", "prefix=",
        "prefix=example.com", "prefix=https://*.example.com/", "prefix=ftp://a/", "prefix=https://", "group=a",
        "source=http%3A%2F%2Fexample.com%2Fshop%2Fa.png&soft=yes", "source=http://example.com/shop/a.png&soft=no",
        "target=%2F_%2Fw:8%2Fplain%2Fhttp:%2F%2Fexample.com%2Fshop%2Fa.png&soft=yes", "tag=shop&soft=no&soft=yes",
    ])
    func malformedPurgeIsRefused(query: String) async throws {
        let bench = try bench()
        #expect(await made(bench) == [true, true, true, true])
        #expect(await purge(query, bench).status == 400)
        #expect(await made(bench) == [false, false, false, false])
    }

    @Test func tagsOfATargetAreChecked() async throws {
        let bench = try bench()
        let many = (0...CacheTags.most).map { "t\($0)" }.joined(separator: ":")
        for option in ["ct:", "ct:a,b", "cache-tag:%00", "ct:" + String(repeating: "x", count: 2000), "ct:" + many] {
            #expect(await bench.get("/_/\(option)/plain/\(ServiceBench.url)").status == 400, "\(option)")
        }
    }

    @Test func queryNamesOneSubject() throws {
        func read(_ query: Substring) throws -> PurgeRequest { try PurgeRequest(query: query, SourcePolicy()) }
        // A URL whose & is not encoded is one URL all the same.
        #expect(try read("source=http://a.example/b?c=1&d=2").subject == .source("http://a.example/b?c=1&d=2"))
        #expect(
            try read("source=http%3A%2F%2Fa.example%2Fb%26soft=yes").subject == .source("http://a.example/b&soft=yes"))
        #expect(try read("target=/_/w:8/plain/x").subject == .target("/_/w:8/plain/x"))
        let soft = try read("tag=a,%20b&soft=yes")
        #expect(soft.subject == .entries([.tag("a"), .tag("b")]) && soft.isSoft)
        let hard = try read("prefix=HTTPS://A.example&soft=no")
        #expect(hard.subject == .entries([.prefix("https://a.example/")]) && !hard.isSoft)
    }
}
