import Foundation
import Testing
import WebImageService
import WebImageTestTraits
import WebImageTesting

/// Tests the request and response values that transports and the service exchange.
@Suite(.timeLimit(minutes: 1))
struct ServiceValuesTests {
    @Test func headersAreFoundInAnyCaseAndJoined() {
        var headers: ServiceHeaders = ["Accept": "image/avif", "accept": "image/webp"]
        #expect(headers["ACCEPT"] == "image/avif, image/webp")
        headers["Accept"] = "*/*"
        #expect(headers.fields == [ServiceHeaders.Field("Accept", "*/*")])
        headers["Accept"] = nil
        #expect(headers["accept"] == nil)
    }

    @Test(arguments: ["a\r\nSet-Cookie: b", "a\nb", "a\0b", "a\u{7f}"])
    func aValueThatWouldEndTheFieldIsNotStored(value: String) {
        var headers = ServiceHeaders()
        headers["X-Test"] = value
        headers.append("X-Test", value)
        headers.append(value, "x")
        #expect(headers.fields.isEmpty)
    }

    @Test func localFileIsReadAndLinksAreNotFollowed() throws {
        let folder = try ScratchFolder()
        let path = folder.url.path + "/a"
        try Data("0123456789".utf8).write(to: URL(fileURLWithPath: path))
        let file = try #require(ServiceFile(path: path))
        #expect(file.byteCount == 10)
        #expect(file.bytes(in: 2..<5) == Data("234".utf8))
        #expect(file.bytes(in: 8..<20) == Data("89".utf8))
        #expect(ServiceResponse.Body.file(file, 2..<5).count == 3)
        try FileManager.default.createSymbolicLink(atPath: folder.url.path + "/b", withDestinationPath: path)
        #expect(ServiceFile(path: folder.url.path + "/b") == nil)
        #expect(ServiceFile(path: folder.url.path) == nil)
    }

}
