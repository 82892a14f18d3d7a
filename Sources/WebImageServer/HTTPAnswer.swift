import CWebImageHTTPShim
import Foundation
import WebImageService

/// Makes libmicrohttpd's response of ours.
enum HTTPAnswer {
    /// Fields that belong to the connection and are written by libmicrohttpd.
    private static let reserved: Set<String> = ["connection", "content-length", "keep-alive", "transfer-encoding"]
    /// Shorter bodies are copied, which costs less than keeping an object alive.
    private static let copied = 4_096

    /// Nil when there is no memory or descriptor left. A body of a 304 is not sent, but its length is.
    static func make(_ response: ServiceResponse) -> OpaquePointer? {
        guard let answer = body(response.body) else { return nil }
        for field in response.headers.fields where !reserved.contains(field.name.lowercased()) {
            webimage_http_response_add(answer, field.name, field.value)
        }
        return answer
    }

    private static func body(_ body: ServiceResponse.Body) -> OpaquePointer? {
        switch body {
        case .none: return webimage_http_response_copying(nil, 0)
        case .bytes(let data) where data.count <= copied:
            return data.withUnsafeBytes { webimage_http_response_copying($0.baseAddress, $0.count) }
        case .bytes(let data):
            // An object's bytes stay where they are; those of a `Data` value may not.
            let object = data as NSData
            let owner = Unmanaged.passRetained(object)
            let answer = webimage_http_response_keeping(
                object.bytes, object.length,
                { owner in
                    if let owner { Unmanaged<NSData>.fromOpaque(owner).release() }
                }, owner.toOpaque())
            if answer == nil { owner.release() }
            return answer
        case .file(let file, let range):
            let descriptor = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 3)
            guard descriptor >= 0 else { return nil }
            return webimage_http_response_file(descriptor, UInt64(range.lowerBound), UInt64(range.count))
        }
    }
}
