import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Tests responses with images: their header fields and formats, conditional requests, and ranges.
@Suite(.timeLimit(minutes: 2))
struct ServiceAnswerTests {
    @Test func headIgnoresRangesAndTheRefusalOfARangeIsNotCached() async throws {
        let bench = try ServiceBench()
        let whole = await bench.picture("w:40/f:png")
        let target = "/_/w:40/f:png/plain/\(ServiceBench.url)"
        for range in ["bytes=0-7", "bytes=9999999-"] {
            let head = await bench.get(target, ["Range": range], method: "HEAD")
            #expect(head.status == 200 && head.body.count == whole.body.count && head.headers["Content-Range"] == nil)
        }
        let refused = await bench.get(target, ["Range": "bytes=9999999-"])
        #expect(refused.status == 416 && refused.headers["Content-Range"] == "bytes */\(whole.body.count)")
        #expect(refused.headers["Cache-Control"] == "no-store" && refused.logEntry.outcome == .refused)
        for name in ["ETag", "Age", "Expires", "Content-Disposition", "Content-Type"] {
            #expect(refused.headers[name] == nil, "\(name)")
        }
    }

    @Test func refusalsNameMethodsAndSchemes() async throws {
        let bench = try ServiceBench { $0.purgeTokens = ["token"] }
        #expect(await bench.get("/_/w:1/plain/a", method: "POST").headers["Allow"] == "GET, HEAD, OPTIONS")
        func operators(_ method: String, _ target: String, _ field: String? = nil) async -> ServiceResponse {
            var request = ServiceRequest(method: method, target: target)
            request.headers["Authorization"] = field
            return await bench.service.respondToOperator(request)
        }
        for page in ["/metrics", "/healthz", "/readyz"] {
            let refused = await operators("POST", page)
            #expect(refused.status == 405 && refused.headers["Allow"] == "GET, HEAD", "\(page)")
        }
        let purge = "/purge?source=http://example.com/photo.png"
        let wrong = await operators("GET", purge)
        #expect(wrong.status == 405 && wrong.headers["Allow"] == "POST, DELETE, PURGE")
        let unnamed = await operators("POST", purge)
        #expect(unnamed.status == 401 && unnamed.headers["WWW-Authenticate"] == "Bearer realm=\"webimage\"")
        for scheme in ["Bearer", "bearer", "BEARER"] {
            #expect(await operators("POST", purge, "\(scheme) token").status == 200, "\(scheme)")
        }
        #expect(await operators("POST", purge, "Basic token").status == 401)
        #expect(await operators("POST", purge, "Bearertoken").status == 401)
    }

    @Test func refusalOfATransportIsAnErrorLikeOthers() async throws {
        let bench = try ServiceBench { ($0.usesJSONErrors, $0.allowedOrigin) = (true, "*") }
        let refused = bench.service.refusal(status: 400, message: "a field has no name")
        #expect(refused.status == 400 && refused.headers["X-Request-Id"]?.isEmpty == false)
        #expect(refused.headers["Cache-Control"] == "no-store" && refused.text.contains("\"error\":\"head\""))
        #expect(refused.logEntry.target == "-" && refused.logEntry.outcome == .refused)
        let metrics = await bench.service.respondToOperator(ServiceRequest(target: "/metrics")).text
        #expect(metrics.contains("webimage_refusals_total{reason=\"head\"} 1"))
        #expect(metrics.contains("webimage_requests_total{route=\"none\",outcome=\"refused\",status=\"400\"} 1"))
    }

    @Test func imageResponseHasItsFields() async throws {
        let bench = try ServiceBench { $0.linksCanonical = true }
        let response = await bench.picture("w:40/f:png")
        #expect(response.status == 200)
        #expect(response.headers["Content-Type"] == "image/png")
        #expect(response.headers["Cache-Control"] == "public, max-age=86400, stale-while-revalidate=60")
        #expect(response.headers["Age"] == "0")
        #expect(response.headers["Expires"] == "Wed, 15 Nov 2023 22:13:20 GMT")
        #expect(response.headers["Content-Disposition"] == "inline; filename=\"photo.png\"")
        #expect(response.headers["X-Content-Type-Options"] == "nosniff")
        #expect(response.headers["Content-Security-Policy"]?.contains("sandbox") == true)
        #expect(response.headers["Link"] == "<http://example.com/photo.png>; rel=\"canonical\"")
        #expect(response.headers["Vary"] == nil)
        #expect(response.headers["X-Request-Id"] == response.logEntry.requestID)
        let etag = try #require(response.headers["ETag"])
        #expect(etag.hasPrefix("\"") && etag.hasSuffix("\""))
        let image = try ImageCodersManager.shared.decode(response.data, options: DecodingOptions())
        #expect(image.pixelSize == PixelSize(width: 40, height: 30))
        #expect(response.logEntry.outcome == .made && response.logEntry.route == .imgproxy)
        #expect(response.logEntry.stages[.decode] != nil && response.logEntry.stages[.encode] != nil)
        #expect(response.logEntry.size == PixelSize(width: 40, height: 30) && response.logEntry.format == .png)
    }

    @Test func aFreshResultIsConfirmedBeforeAnyFetch() async throws {
        let bench = try ServiceBench()
        let first = await bench.picture()
        let etag = try #require(first.headers["ETag"])
        for condition in [etag, "W/" + etag, "\"other\", \(etag)", "*"] {
            let second = await bench.picture("w:40", ["If-None-Match": condition])
            #expect(second.status == 304 && second.body.count == 0)
            #expect(second.headers["ETag"] == etag && second.headers["Cache-Control"] != nil)
            #expect(second.logEntry.outcome == .notModified)
        }
        #expect(await bench.picture("w:40", ["If-None-Match": "\"other\""]).status == 200)
        #expect(bench.server.fetchCount == 1)
        // A result with a different size has a different entity tag.
        #expect(await bench.picture("w:41").headers["ETag"] != etag)
    }

    @Test func resultsAreKeptInMemoryAndOnDisk() async throws {
        let folder = try ScratchFolder()
        let bench = try ServiceBench(folder: folder)
        let made = await bench.picture()
        bench.clock.advance(by: .seconds(100))
        let again = await bench.picture()
        #expect(again.logEntry.outcome == .memory && again.data == made.data && again.headers["Age"] == "100")
        await bench.service.shutdown()
        let next = try ServiceBench(clock: bench.clock, folder: folder)
        let fromDisk = await next.picture()
        #expect(fromDisk.logEntry.outcome == .disk && fromDisk.data == made.data)
        #expect(fromDisk.headers["ETag"] == made.headers["ETag"] && next.server.fetchCount == 0)
        #expect(await next.picture().logEntry.outcome == .memory)
    }

    @Test func lifetimesFollowTheSourceWithinBounds() async throws {
        let bench = try ServiceBench {
            $0.minTTL = 10
            $0.maxTTL = 1000
            $0.ttl = 500
        }
        func control(_ name: String, _ field: [String: String]) async throws -> String? {
            bench.server.answer("http://example.com/\(name)", try PictureFixtures.quadrants(), field)
            return await bench.get("/_/w:10/plain/http://example.com/\(name)").headers["Cache-Control"]
        }
        #expect(try await control("a", [:]) == "public, max-age=500, stale-while-revalidate=60")
        #expect(
            try await control("b", ["Cache-Control": "max-age=5"]) == "public, max-age=10, stale-while-revalidate=60")
        #expect(try await control("c", ["Cache-Control": "max-age=99999, must-revalidate"]) == "public, max-age=1000")
        #expect(try await control("d", ["Cache-Control": "no-store"]) == "no-store")
        #expect(
            try await control("e", ["Cache-Control": "private, max-age=20"])?.hasPrefix("private, max-age=20") == true)
        // `s-maxage` forbids stale answers (RFC 9111 §5.2.2.10).
        #expect(try await control("f", ["Cache-Control": "s-maxage=30, max-age=600"]) == "public, max-age=30")
        // Shared caches must not store the sources "d" and "e", so the service fetches these sources again.
        _ = await bench.get("/_/w:10/plain/http://example.com/d")
        #expect(bench.server.fetchCount("http://example.com/d") == 2)
        _ = await bench.get("/_/w:10/plain/http://example.com/e")
        #expect(bench.server.fetchCount("http://example.com/e") == 2)
    }

    @Test func expiresLimitsMaxAgeAndThenRefuses() async throws {
        let bench = try ServiceBench()
        let end = 1_700_000_000 + 100
        let response = await bench.picture("exp:\(end)/w:40")
        #expect(response.headers["Cache-Control"] == "public, max-age=100")
        bench.clock.advance(by: .seconds(100))
        let late = await bench.picture("exp:\(end)/w:40")
        #expect(late.status == 410 && late.headers["Cache-Control"] == "no-store")
    }

    @Test func singleRangesAreAnswered() async throws {
        let bench = try ServiceBench()
        let whole = await bench.picture()
        let etag = try #require(whole.headers["ETag"])
        let count = whole.data.count
        let part = await bench.picture("w:40", ["Range": "bytes=2-5"])
        #expect(part.status == 206 && part.data == whole.data[2..<6])
        #expect(part.headers["Content-Range"] == "bytes 2-5/\(count)")
        #expect(await bench.picture("w:40", ["Range": "bytes=-3"]).data == whole.data.suffix(3))
        #expect(await bench.picture("w:40", ["Range": "bytes=4-"]).data == whole.data.dropFirst(4))
        #expect(await bench.picture("w:40", ["Range": "bytes=0-99999999"]).data == whole.data)
        let beyond = await bench.picture("w:40", ["Range": "bytes=\(count)-"])
        #expect(beyond.status == 416 && beyond.headers["Content-Range"] == "bytes */\(count)")
        for field in ["bytes=0-1,3-4", "bytes=5-2", "bytes=a-b", "lines=1-2", "bytes=-", "bytes=99999999999999999999-"]
        {
            #expect(await bench.picture("w:40", ["Range": field]).status == 200, "\(field)")
        }
        #expect(await bench.picture("w:40", ["Range": "bytes=0-1", "If-Range": etag]).status == 206)
        #expect(await bench.picture("w:40", ["Range": "bytes=0-1", "If-Range": "\"x\""]).status == 200)
    }

    /// RFC 9110 §13.1.1, §13.2.2: a part of another version is never sent.
    @Test(arguments: ["w:40", "raw:1"]) func partIsOnlySentOfTheWantedVersion(options: String) async throws {
        let bench = try ServiceBench()
        let tag = try #require(await bench.picture(options).headers["ETag"])
        for _ in 0..<2 {
            for (field, status) in [
                ("\"x\"", 412), ("\"x\", \"y\"", 412), ("W/\(tag)", 412), ("", 412), (tag, 206), ("*", 206),
                ("\"x,y\", \(tag)", 206),
            ] {
                for further: ServiceHeaders in [[:], ["If-None-Match": tag]] {
                    var headers: ServiceHeaders = ["If-Match": field, "Range": "bytes=0-3"]
                    for field in further.fields { headers.append(field.name, field.value) }
                    let answer = await bench.picture(options, headers)
                    let expected = status == 206 && !further.fields.isEmpty ? 304 : status
                    #expect(answer.status == expected, "\(field) \(further)")
                    if status == 412 {
                        #expect(answer.data.isEmpty && answer.headers["Cache-Control"] == "no-store")
                        #expect(answer.headers["ETag"] == nil && answer.logEntry.reason == "precondition")
                    }
                }
            }
        }
        // Without a modification date the field is ignored (§13.1.4), and with it the range: it belongs to another time.
        let dated: ServiceHeaders = ["If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:37 GMT", "Range": "bytes=0-3"]
        #expect(await bench.picture(options, dated).status == 200)
        var lists: ServiceHeaders = ["If-None-Match": "\"x\""]
        lists.append("If-None-Match", tag)
        #expect(await bench.picture(options, lists).status == 304)
    }

    /// nginx reads no `Age`. Other clients do not receive its field.
    @Test func trustedProxyReceivesTheSecondsThatAreLeft() async throws {
        let bench = try ServiceBench()
        for (control, left) in [
            ("max-age=100", "90"), ("s-maxage=60, max-age=5", "50"), ("private, max-age=100", nil), ("no-store", nil),
            ("no-cache", "0"),
        ] {
            let url = "http://example.com/\(control.filter(\.isLetter)).png"
            bench.server.answer(url, try PictureFixtures.quadrants(), ["Cache-Control": control, "Age": "10"])
            for _ in 0..<3 {
                var request = ServiceRequest(target: "/_/w:9/f:png/plain/\(url)")
                #expect(await bench.service.respond(to: request).headers["X-Accel-Expires"] == nil)
                request.isFromTrustedProxy = true
                let answer = bench.service.respondFromMemory(to: request)
                let field: String?
                if let answer {
                    field = answer.headers["X-Accel-Expires"]
                } else {
                    field = await bench.service.respond(to: request).headers["X-Accel-Expires"]
                }
                #expect(field == left, "\(control)")
            }
        }
    }

    @Test func formatFollowsAcceptAndVaryIsSent() async throws {
        let bench = try ServiceBench()
        let webp = await bench.picture("w:40", ["Accept": "image/avif,image/webp,*/*;q=0.8"])
        #expect(webp.headers["Content-Type"] == "image/webp" && webp.headers["Vary"] == "Accept")
        let png = await bench.picture("w:40", ["Accept": "image/webp;q=0, image/*"])
        #expect(png.headers["Content-Type"] == "image/png" && png.headers["Vary"] == "Accept")
        let jpeg = await bench.picture("w:40/f:jpg", ["Accept": "image/webp"])
        #expect(jpeg.headers["Content-Type"] == "image/jpeg" && jpeg.headers["Vary"] == nil)
        #expect(webp.headers["ETag"] != png.headers["ETag"])
    }

    @Test func avifIsEncodedInTheBackgroundBeyondTheBudget() async throws {
        let coders = ImageCodersManager(coders: ImageCodersManager.shared.coders + [ImageAVIFCoder.shared])
        let bench = try ServiceBench(coders: coders) {
            $0.offersAVIF = true
            $0.avifBudget = 0
        }
        let accept: ServiceHeaders = ["Accept": "image/avif,image/webp"]
        let first = await bench.picture("w:40", accept)
        #expect(first.headers["Content-Type"] == "image/webp")
        #expect(first.headers["Cache-Control"] == "public, max-age=60")
        await bench.service.provider.background.finish()
        let second = await bench.picture("w:40", accept)
        #expect(second.headers["Content-Type"] == "image/avif")
        #expect(second.headers["Cache-Control"]?.hasPrefix("public, max-age=86400") == true)
        #expect(second.headers["ETag"] != first.headers["ETag"] && second.logEntry.outcome == .memory)
        // This image is too small for AVIF, so the service always returns the next format that the client accepts.
        let small = await bench.picture("w:10/q:50", accept)
        await bench.service.provider.background.finish()
        #expect(await bench.picture("w:10/q:50", accept).headers["Content-Type"] == "image/webp")
        #expect(small.status == 200)
        let patient = try ServiceBench(coders: coders) {
            $0.offersAVIF = true
            $0.avifBudget = 60_000
        }
        #expect(await patient.picture("w:40", accept).headers["Content-Type"] == "image/avif")
    }

    @Test func clientHintsAreDefaults() async throws {
        let bench = try ServiceBench { $0.usesClientHints = true }
        func size(_ options: String, _ headers: ServiceHeaders) async -> PixelSize? {
            await bench.picture(options, headers).logEntry.size
        }
        #expect(await size("f:png", ["Width": "50"]) == PixelSize(width: 64, height: 48))
        #expect(await size("w:20/f:png", ["DPR": "2"]) == PixelSize(width: 40, height: 30))
        #expect(await size("w:20/dpr:1.5/f:png", ["DPR": "2"]) == PixelSize(width: 30, height: 23))
        #expect(await size("w:20/f:png", ["Width": "50", "DPR": "nan"]) == PixelSize(width: 20, height: 15))
        #expect(await bench.picture("f:png").headers["Vary"]?.contains("DPR") == true)
    }

    @Test(arguments: [
        ("fn:a%22b", "inline; filename=\"ab.png\""),
        ("fn:Y2F0:1", "inline; filename=\"cat.png\""),
        ("fn:cat.png/att:1", "attachment; filename=\"cat.png\""),
        ("fn:YQ0KU2V0LUNvb2tpZTogYj1j:1", "inline; filename=\"aSet-Cookie b=c.png\""),
        ("fn:Li4vLi4vZXRjL3Bhc3N3ZA:1", "inline; filename=\"etcpasswd.png\""),
        ("fn:0YTQvtGC0L4:1", "inline; filename=\"____.png\"; filename*=UTF-8''%D1%84%D0%BE%D1%82%D0%BE.png"),
    ]) func fileNamesCannotInjectFields(options: String, field: String) async throws {
        let bench = try ServiceBench()
        let response = await bench.picture("w:4/f:png/\(options)")
        #expect(response.headers["Content-Disposition"] == field)
        #expect(response.headers.fields.allSatisfy { !$0.value.contains("\n") && $0.name != "Set-Cookie" })
    }

    @Test func rawSourcesAreReturnedUnchanged() async throws {
        let bench = try ServiceBench()
        let response = await bench.picture("raw:1/w:10")
        #expect(response.data == (try PictureFixtures.quadrants()) && response.headers["Content-Type"] == "image/png")
        bench.server.answer("http://example.com/a", Data("<html><script>".utf8))
        let text = await bench.get("/_/raw:1/plain/http://example.com/a")
        #expect(text.headers["Content-Type"] == "application/octet-stream")
        #expect(text.headers["X-Content-Type-Options"] == "nosniff")
    }

    @Test func corsAndOptionsAreAnswered() async throws {
        let bench = try ServiceBench { $0.allowedOrigin = "https://shop.example" }
        let response = await bench.picture("f:png")
        #expect(response.headers["Access-Control-Allow-Origin"] == "https://shop.example")
        #expect(response.headers["Vary"] == "Origin")
        let options = await bench.get("/_/w:1/plain/\(ServiceBench.url)", method: "OPTIONS")
        #expect(options.status == 204 && options.headers["Access-Control-Allow-Methods"] != nil)
        #expect(await bench.get("/", method: "POST").status == 405)
        let icon = await bench.get("/favicon.ico")
        #expect(icon.status == 204 && icon.logEntry.outcome == .page)
        #expect(icon.headers["Cache-Control"] == "public, max-age=86400")
        let head = await bench.get("/_/w:40/plain/\(ServiceBench.url)", method: "HEAD")
        #expect(head.status == 200 && head.body.count > 0)
    }
}
