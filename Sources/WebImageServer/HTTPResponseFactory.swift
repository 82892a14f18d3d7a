import CWebImageHTTPShim
import Foundation
import WebImageService

/// Makes libmicrohttpd's response from a service response.
enum HTTPResponseFactory {
    /// The names, in lower case, of the fields that describe the connection. libmicrohttpd writes these fields. Fields
    /// with these names in the service response are therefore dropped.
    private static let reserved: Set<String> = ["connection", "content-length", "keep-alive", "transfer-encoding"]
    private static let lengths = Set(reserved.map(\.utf8.count))
    /// The size in bytes up to which a body is copied; copying a short body costs less than retaining an object.
    private static let copied = 4_096

    /// Returns libmicrohttpd's response, or nil if memory or descriptors are exhausted.
    ///
    /// The response contains the body even for status 304. libmicrohttpd then sends the length of the body but not its
    /// bytes.
    static func make(_ response: ServiceResponse) -> OpaquePointer? {
        guard let answer = body(response.body) else { return nil }
        for field in response.headers.fields where !isReserved(field.name) {
            webimage_http_response_add(answer, field.name, field.value)
        }
        return answer
    }

    private static func isReserved(_ name: String) -> Bool {
        // Compare the lengths first. Most names have another length, and comparing lengths is faster than making a
        // lower-case copy.
        lengths.contains(name.utf8.count) && reserved.contains(name.lowercased())
    }

    private static func body(_ body: ServiceResponse.Body) -> OpaquePointer? {
        switch body {
        case .none: return webimage_http_response_copying(nil, 0)
        case .bytes(let data) where data.count <= copied:
            return data.withUnsafeBytes { webimage_http_response_copying($0.baseAddress, $0.count) }
        case .bytes(let data):
            // libmicrohttpd stores the address of the bytes. The bytes of an `NSData` object do not move, but the bytes
            // of a `Data` value may move.
            let object = data as NSData
            let owner = Unmanaged.passRetained(object)
            let answer = webimage_http_response_retaining(
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
