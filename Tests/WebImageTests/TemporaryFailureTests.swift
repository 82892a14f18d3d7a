import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// A failure that may be temporary is never remembered: a later load of the URL asks the server again.
@Suite(.timeLimit(minutes: 1))
struct TemporaryFailureTests {
    private let journey: Journey

    init() throws { journey = try Journey() }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let behaviour: FaultBehaviour
        var isRemembered = false
    }

    private static func page(_ type: String) -> FaultBehaviour {
        .body(Data("<html>Please log in to this network.</html>".utf8), type: type)
    }

    private static func cut(_ framing: FaultResponse.Framing) -> FaultBehaviour {
        var response = FaultResponse(.data(Data("\u{89}PNG".utf8)), headers: ["Content-Type": "image/png"])
        response.framing = framing
        return .respond(response)
    }

    static let cases = [
        Case(testDescription: "204", behaviour: .respond(FaultResponse(.data(Data()), status: 204))),
        Case(testDescription: "empty body", behaviour: .body(Data())),
        Case(testDescription: "captive portal", behaviour: page("text/html")),
        Case(testDescription: "captive portal with a charset", behaviour: page("Text/HTML; charset=utf-8")),
        Case(testDescription: "XHTML page", behaviour: page("application/xhtml+xml")),
        Case(testDescription: "XML error", behaviour: page("application/xml")),
        Case(testDescription: "XML error of a type", behaviour: page("application/problem+xml; charset=utf-8")),
        Case(testDescription: "broken SVG", behaviour: page("image/svg+xml"), isRemembered: true),
        Case(testDescription: "JSON error with 200", behaviour: page("application/json")),
        Case(
            testDescription: "broken gzip stream",
            behaviour: .body(Data("no gzip at all, but long enough".utf8), headers: ["Content-Encoding": "gzip"])),
        Case(
            testDescription: "cut gzip stream",
            behaviour: .body(
                Data(base64Encoded: "H4sIAAAAAAACA+3BAQEAAACCIP+vbkhAAQAAAAAAAAAA") ?? Data(),
                headers: ["Content-Encoding": "gzip"])),
        Case(testDescription: "body that ends with the connection", behaviour: cut(.untilClose)),
        Case(testDescription: "whole body that is no picture", behaviour: cut(.contentLength), isRemembered: true),
        Case(testDescription: "chunked body that is no picture", behaviour: cut(.chunked), isRemembered: true),
        Case(testDescription: "404", behaviour: .status(404), isRemembered: true),
        Case(testDescription: "503", behaviour: .status(503)),
    ]

    @Test(arguments: cases) func onlyAPermanentFailureIsRemembered(_ test: Case) async throws {
        let url = journey.server.url("/a.png")
        journey.server.route("/a.png", test.behaviour)
        await #expect(throws: WebImageError.self) { try await journey.manager.image(for: url) }
        #expect((journey.manager.failure(of: url) != nil) == test.isRemembered)
        journey.server.route("/a.png", .body(try Journey.file()))
        let image = try? await journey.manager.image(for: url)
        #expect((image == nil) == test.isRemembered)
    }

    @Test func failureIsForgottenAfterFiveMinutes() {
        #expect(journey.manager.failedURLLifetime == .seconds(300))
    }
}
