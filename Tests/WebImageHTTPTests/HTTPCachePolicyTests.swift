import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading

/// Tests how `HTTPCachePolicy` uses stored responses of a given age. The cases in the table follow RFC 9111 and
/// RFC 5861.
struct HTTPCachePolicyTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT in seconds since 1970.
    static let date = 784_111_777.0
    static let dateField = "Sun, 06 Nov 1994 08:49:37 GMT"

    struct Row: Sendable, CustomTestStringConvertible {
        let fields: [String: String]
        let age: Double
        let expected: HTTPCachePolicy.Decision
        var testDescription: String { "\(fields) after \(age)" }
        init(_ fields: [String: String], _ age: Double, _ expected: HTTPCachePolicy.Decision) {
            (self.fields, self.age, self.expected) = (fields, age, expected)
        }
    }

    private static let tag = ["If-None-Match": "\"a\""]
    private static let dayOld = "Sat, 05 Nov 1994 08:49:37 GMT"

    static let rows = [
        Row(["cache-control": "max-age=60"], 59, .fresh),
        Row(["cache-control": "max-age=60"], 60, .fetch),
        Row(["cache-control": "MAX-AGE=\"60\""], 59, .fresh),
        Row(["cache-control": "max-age=60", "etag": "\"a\""], 60, .revalidate(tag)),
        Row(["cache-control": "max-age=x", "etag": "\"a\""], 0, .revalidate(tag)),
        Row(["cache-control": "max-age=60", "age": "50"], 9, .fresh),
        Row(["cache-control": "max-age=60", "age": "50"], 11, .fetch),
        Row(["cache-control": "max-age=60, no-cache", "etag": "\"a\""], 1, .revalidate(tag)),
        Row(["pragma": "no-cache", "etag": "\"a\""], 1, .revalidate(tag)),
        Row(["expires": "Sun, 06 Nov 1994 08:50:37 GMT"], 59, .fresh),
        Row(["expires": "Sunday, 06-Nov-94 08:50:37 GMT"], 59, .fresh),
        Row(["expires": "Sun Nov  6 08:50:37 1994"], 59, .fresh),
        Row(["expires": "0", "etag": "\"a\""], 0, .revalidate(tag)),
        Row(["expires": "Sun, 06 Nov 1994 08:50:37 GMT", "cache-control": "max-age=1"], 2, .fetch),
        Row(["last-modified": dayOld], 8639, .fresh),
        Row(["last-modified": dayOld], 8641, .revalidate(["If-Modified-Since": dayOld])),
        Row(
            ["last-modified": dayOld, "etag": "W/\"b\""], 9000,
            .revalidate(["If-Modified-Since": dayOld, "If-None-Match": "W/\"b\""])),
        Row(
            ["cache-control": "max-age=10, stale-while-revalidate=30", "etag": "\"a\""], 39, .staleWhileRevalidate(tag)),
        Row(["cache-control": "max-age=10, stale-while-revalidate=30", "etag": "\"a\""], 41, .revalidate(tag)),
        Row(
            ["cache-control": "max-age=10, stale-while-revalidate=30, must-revalidate", "etag": "\"a\""], 20,
            .revalidate(tag)),
        Row(["cache-control": "max-age=60", "vary": "*"], 1, .fetch),
        Row([:], 0, .fetch),
        // A negative age means that the clock was set back. The real age is then unknown, so the response
        // must be revalidated.
        Row(["cache-control": "max-age=60", "etag": "\"a\""], -10, .revalidate(tag)),
    ]

    private func stored(_ fields: [String: String], request: WebImageRequest? = nil) -> StoredResponse {
        let url = URL(fileURLWithPath: "/")
        var fields = fields
        fields["date"] = fields["date"] ?? Self.dateField
        return StoredResponse(
            WebImageResponse(url: nil, statusCode: 200, allHeaderFields: fields),
            to: request ?? WebImageRequest(url: url), requestTime: Self.date, responseTime: Self.date)
    }

    private let request = WebImageRequest(url: URL(fileURLWithPath: "/"))

    @Test(arguments: rows) func decision(row: Row) {
        let decision = HTTPCachePolicy().decision(stored(row.fields), for: request, now: Self.date + row.age)
        #expect(decision == row.expected)
    }

    @Test(arguments: rows) func storedResponseRoundTrips(row: Row) throws {
        let stored = stored(row.fields)
        #expect(try #require(StoredResponse(serialized: stored.serialized)) == stored)
        #expect(stored.serialized.count < 400)
    }

    @Test(arguments: [
        ("\"a\"", "\"a\""), ("a\nb", "a b"), ("a\r\nb", "a b"), ("é\u{2028}b", "é b"), ("a\u{85}b", "a b"),
        (String(repeating: "a", count: 2001), String(repeating: "a", count: 2000)),
        (String(repeating: "é", count: 2000), String(repeating: "é", count: 2000)),
    ])
    func aStoredFieldIsOneLineOfAtMost2000Characters(field: String, line: String) throws {
        let read = try #require(StoredResponse(serialized: stored(["etag": field]).serialized))
        #expect(read.fields["etag"] == line && read.fields["date"] == Self.dateField)
    }

    @Test(arguments: [
        "", "webimage-http 2\n1 1", "webimage-http 1", "webimage-http 1\nx y", "webimage-http 1\nnan inf",
    ])
    func otherBytesAreNoStoredResponse(text: String) {
        #expect(StoredResponse(serialized: Data(text.utf8)) == nil)
    }

    @Test func heuristicsCanBeLeftOut() {
        let policy = HTTPCachePolicy(heuristicFraction: 0)
        let decision = policy.decision(stored(["last-modified": Self.dayOld]), for: request, now: Self.date)
        #expect(decision == .revalidate(["If-Modified-Since": Self.dayOld]))
    }

    @Test func requestsWithDifferentVaryFieldsShareNoResponse() {
        var french = request
        french.setValue("fr", forHTTPHeaderField: "Accept-Language")
        let stored = stored(["cache-control": "max-age=60", "vary": "Accept-Language"], request: french)
        let policy = HTTPCachePolicy()
        #expect(policy.decision(stored, for: french, now: Self.date + 1) == .fresh)
        #expect(policy.decision(stored, for: request, now: Self.date + 1) == .fetch)
        #expect(!String(decoding: stored.serialized, as: UTF8.self).contains(": fr"))
    }

    @Test func confirmationRenewsAgeAndReplacesFields() {
        let old = stored(["cache-control": "max-age=10", "etag": "\"a\"", "age": "5"])
        let answer = WebImageResponse(
            url: nil, statusCode: 304,
            allHeaderFields: ["cache-control": "max-age=20", "date": "Sun, 06 Nov 1994 08:51:17 GMT"])
        let merged = old.merged(
            with: answer, to: request, requestTime: Self.date + 100, responseTime: Self.date + 100)
        #expect(merged.fields["etag"] == "\"a\"")
        #expect(merged.fields["age"] == nil)
        #expect(HTTPCachePolicy().decision(merged, for: request, now: Self.date + 119) == .fresh)
        #expect(HTTPCachePolicy().decision(merged, for: request, now: Self.date + 121) != .fresh)
    }

    @Test func staleIfErrorExpires() {
        let stored = stored(["cache-control": "max-age=10, stale-if-error=100", "etag": "\"a\""])
        let policy = HTTPCachePolicy()
        #expect(policy.mayServeAfterError(stored, for: request, now: Self.date + 110))
        #expect(!policy.mayServeAfterError(stored, for: request, now: Self.date + 111))
        let strict = self.stored(["cache-control": "stale-if-error=100, must-revalidate"])
        #expect(!policy.mayServeAfterError(strict, for: request, now: Self.date))
    }

    @Test func noStoreIsRecorded() {
        let response = WebImageResponse(url: nil, allHeaderFields: ["cache-control": "private, No-Store"])
        #expect(!HTTPCachePolicy.mayStore(response, to: request))
        #expect(HTTPCachePolicy.mayStore(WebImageResponse(url: nil), to: request))
    }

    @Test(arguments: ["", "yesterday", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "1 2 3"])
    func invalidDateIsNil(text: String) { #expect(HTTPDate.seconds(text) == nil) }

    /// A zone that is not that of GMT makes a date invalid (RFC 9111 §4.2). A year of two digits is at most 50 years away.
    @Test func zoneAndCenturyOfADateCount() {
        for zone in ["EST", "PDT", "+0000", "-0500", "Z", ""] {
            #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 \(zone)") == nil, "\(zone)")
        }
        for zone in ["GMT", "gmt", "UTC"] {
            #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 \(zone)") == Self.date)
        }
        let now = Self.date + 32 * 31_556_952
        for (year, time) in [("94", Self.date), ("76", 3_371_878_177), ("77", 247_654_177)] as [(String, Double)] {
            #expect(HTTPDate.seconds("Sunday, 06-Nov-\(year) 08:49:37 GMT", now: now) == time, "\(year)")
        }
    }

    @Test func directivesAreReadWithTheirQuotes() {
        func seconds(_ field: String) -> Int? { CacheControl(field).seconds("max-age").map { Int($0) } }
        #expect(seconds("MAX-AGE=\"5\"") == 5 && seconds("x=\"a, max-age=7\", max-age=5") == 5)
        #expect(seconds("x=\"a\\\", max-age=7, b\", max-age=5") == 5 && seconds("x=\"\\\\\", max-age=5") == 5)
        // A quote without an end hides no directive.
        #expect(seconds("x=\"a, max-age=5") == 5 && seconds("\", max-age=5") == 5 && seconds("max-age=\"5") == 5)
        #expect(CacheControl("x=\"a, no-store").contains("no-store"))
        let many = "x=\"" + String(repeating: "\\\"", count: 50_000)
        #expect(CacheControl(many + ", no-store").contains("no-store"))
        #expect(CacheControl("no-store").forbidsStorage && !CacheControl("no-store, Must-Understand").forbidsStorage)
        #expect(!CacheControl("x-no-store, must-understand").forbidsStorage)
    }

    /// A field that is too long to be stored keeps the directives that a cache understands.
    @Test func longFieldLosesNoDirectiveWhenItIsStored() throws {
        let field = "ext=\"" + String(repeating: "x", count: 3000) + "\", max-age=5, must-revalidate, s-maxage=7"
        let response = WebImageResponse(url: nil, statusCode: 200, allHeaderFields: ["Cache-Control": field])
        let request = WebImageRequest(url: URL(fileURLWithPath: "/"))
        let stored = StoredResponse(response, to: request, requestTime: 1, responseTime: 1)
        let read = try #require(StoredResponse(serialized: stored.serialized))
        let control = CacheControl(read.fields["cache-control"])
        #expect(control.seconds("max-age") == 5 && control.seconds("s-maxage") == 7)
        #expect(control.contains("must-revalidate"))
    }

    @Test func datesAreSecondsSince1970() {
        #expect(HTTPDate.seconds(Self.dateField) == Self.date)
        #expect(HTTPDate.seconds("Thu, 29 Feb 2024 12:00:00 GMT") == 1_709_208_000)
        #expect(HTTPDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
    }
}
