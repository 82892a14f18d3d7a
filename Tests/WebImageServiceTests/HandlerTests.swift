import Foundation
import Testing
import WebImageService
import WebImageTestTraits
import WebImageTesting

// This file contains request handlers for two web frameworks. Stubs with the same names replace the frameworks, so that
// the handlers compile without them.

/// Stubs with the names of Vapor 4, and a handler that uses these stubs.
private enum Vapor {
    struct HTTPMethod { var rawValue: String }
    struct URI { var string: String }
    struct SocketAddress { var ipAddress: String? }
    struct HTTPResponseStatus { var statusCode: Int }
    struct HTTPHeaders: Sequence {
        var fields: [(name: String, value: String)] = []
        mutating func add(name: String, value: String) { fields.append((name, value)) }
        func makeIterator() -> IndexingIterator<[(name: String, value: String)]> { fields.makeIterator() }
    }
    struct Request {
        var method: HTTPMethod
        var url: URI
        var headers: HTTPHeaders
        var remoteAddress: SocketAddress?
    }
    struct Response {
        struct Body {
            var data: Data
        }
        var status: HTTPResponseStatus
        var headers: HTTPHeaders
        var body: Body
    }

    // A Vapor application registers this function:
    // app.get("pictures", "**") { request in await picture(request, service) }
    static func picture(_ request: Request, _ service: ImageService) async -> Response {
        var fields = ServiceHeaders()
        for (name, value) in request.headers { fields.append(name, value) }
        let answer = await service.respond(
            to: ServiceRequest(
                method: request.method.rawValue, target: request.url.string, headers: fields,
                client: request.remoteAddress?.ipAddress))
        var headers = HTTPHeaders()
        for field in answer.headers.fields { headers.add(name: field.name, value: field.value) }
        return Response(
            status: HTTPResponseStatus(statusCode: answer.status), headers: headers,
            body: Response.Body(data: answer.bytes))
    }
}

/// Stubs with the names of Hummingbird 2 and swift-http-types, and a handler that uses these stubs.
private enum Hummingbird {
    struct Method { var rawValue: String }
    struct HTTPField {
        struct Name {
            var rawName: String
            init?(_ name: String) { rawName = name }
        }
        var name: Name
        var value: String
    }
    struct HTTPFields: Sequence {
        var fields: [HTTPField] = []
        mutating func append(_ field: HTTPField) { fields.append(field) }
        func makeIterator() -> IndexingIterator<[HTTPField]> { fields.makeIterator() }
    }
    struct Status { var code: Int }
    struct URI: CustomStringConvertible { var description: String }
    struct Request {
        var method: Method
        var uri: URI
        var headers: HTTPFields
    }
    struct Response {
        var status: Status
        var headers: HTTPFields
        var body: Data
    }

    // A Hummingbird application registers this function:
    // router.get("/pictures/**") { request, context in await picture(request, service) }
    static func picture(_ request: Request, _ service: ImageService) async -> Response {
        var fields = ServiceHeaders()
        for field in request.headers { fields.append(field.name.rawName, field.value) }
        let answer = await service.respond(
            to: ServiceRequest(method: request.method.rawValue, target: request.uri.description, headers: fields))
        var headers = HTTPFields()
        for field in answer.headers.fields {
            if let name = HTTPField.Name(field.name) { headers.append(HTTPField(name: name, value: field.value)) }
        }
        return Response(status: Status(code: answer.status), headers: headers, body: answer.bytes)
    }
}

extension ServiceResponse {
    /// The body, read into memory. A framework that can send files should use the descriptor of ``ServiceFile``
    /// instead.
    fileprivate var bytes: Data {
        switch body {
        // Not sent, because the request does not ask for it.
        case .none, .arriving: Data()
        case .bytes(let data): data
        case .file(let file, let range): file.bytes(in: range)
        }
    }
}

/// Tests that the request handlers above return the responses of the service.
@Suite(.timeLimit(minutes: 1))
struct HandlerTests {
    @Test func handlersOfFrameworksReturnImages() async throws {
        let folder = try ScratchFolder()
        try PictureFixtures.quadrants().write(to: folder.url.appendingPathComponent("a.png"))
        var configuration = ServiceConfiguration()
        configuration.root = folder.url.path
        configuration.cacheFolder = folder.url.path
        configuration.pathPrefix = "/pictures"
        let service = try ImageService(configuration: configuration)
        let target = "/pictures/_/w:10/plain/local:///a.png"
        var fields = Vapor.HTTPHeaders()
        fields.add(name: "Accept", value: "image/webp")
        let vapor = await Vapor.picture(
            Vapor.Request(method: Vapor.HTTPMethod(rawValue: "GET"), url: Vapor.URI(string: target), headers: fields),
            service)
        #expect(vapor.status.statusCode == 200 && vapor.body.data.starts(with: Data("RIFF".utf8)))
        #expect(vapor.headers.contains { $0.name == "Vary" && $0.value == "Accept" })
        let hummingbird = await Hummingbird.picture(
            Hummingbird.Request(
                method: Hummingbird.Method(rawValue: "GET"), uri: Hummingbird.URI(description: target),
                headers: Hummingbird.HTTPFields()), service)
        #expect(hummingbird.status.code == 200 && hummingbird.body.starts(with: [0x89]))
        #expect(hummingbird.headers.contains { $0.name.rawName == "ETag" })
        await service.shutdown()
    }
}
