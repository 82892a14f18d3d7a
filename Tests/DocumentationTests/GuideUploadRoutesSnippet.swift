import Foundation
import WebImage

// Types with the shape of Hummingbird's and Vapor's, because neither framework is a dependency of this package.

struct ByteBuffer: Sendable {
    var bytes: [UInt8]
    var readableBytesView: [UInt8] { bytes }

    init(bytes: [UInt8]) { self.bytes = bytes }
    init(string: String) { bytes = Array(string.utf8) }
}

struct SessionContext: Sendable { let userID: String }

enum Hummingbird {
    struct TooLarge: Error {}

    struct Status: Sendable { let code: Int }

    struct ResponseBody: Sendable { let byteBuffer: ByteBuffer }

    struct RequestBody: Sendable {
        let chunks: [ByteBuffer]

        func collect(upTo most: Int) async throws -> ByteBuffer {
            var body = ByteBuffer(bytes: [])
            for chunk in chunks {
                body.bytes += chunk.bytes
                guard body.bytes.count <= most else { throw TooLarge() }
            }
            return body
        }
    }

    struct Request: Sendable { let body: RequestBody }

    struct Response: Sendable {
        let status: Status
        let body: ResponseBody
    }
}

enum Vapor {
    struct Status: Sendable {
        let statusCode: Int
        static let badRequest = Status(statusCode: 400)
    }

    struct RequestBody: Sendable { let data: ByteBuffer? }

    struct ResponseBody: Sendable { let string: String }

    struct Request: Sendable {
        let body: RequestBody
        var userID: String { get throws { "user" } }
    }

    struct Response: Sendable {
        let status: Status
        var body = ResponseBody(string: "")
    }
}

// snippet: guide-upload-routes
/// The route in Hummingbird: `router.post("avatar", use: avatarRoute(uploads))`.
func avatarRoute(
    _ uploads: AvatarUploads
) -> @Sendable (Hummingbird.Request, SessionContext) async throws -> Hummingbird.Response {
    { request, context in
        let body = try await request.body.collect(upTo: uploads.maxBytes)
        let answer = await uploads.store(Data(body.readableBytesView), user: context.userID)
        return Hummingbird.Response(
            status: .init(code: answer.status), body: .init(byteBuffer: .init(string: answer.words)))
    }
}

/// The route in Vapor: `app.on(.POST, "avatar", body: .collect(maxSize: "20mb"), use: avatarRoute(uploads))`.
func avatarRoute(_ uploads: AvatarUploads) -> @Sendable (Vapor.Request) async throws -> Vapor.Response {
    { request in
        guard let body = request.body.data else { return Vapor.Response(status: .badRequest) }
        let answer = await uploads.store(Data(body.readableBytesView), user: try request.userID)
        return Vapor.Response(status: .init(statusCode: answer.status), body: .init(string: answer.words))
    }
}
// end
