import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// URLs that an existing client of imgproxy has made, the Python package `imgproxy` 1.0.0 of the Python package index, for the
/// source of ``ServiceBench``. Its calls were `ImgProxy.factory(proxy_host="", key=…, salt=…)(source, …)`.
@Suite(.timeLimit(minutes: 1))
struct ImgproxyClientTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let signature: String
        let path: String
        let type: String?
        let size: PixelSize?
        var testDescription: String { name }

        init(
            _ name: String, _ signature: String, _ options: String, _ format: String, type: String?, size: PixelSize?
        ) {
            (self.name, self.signature, self.type, self.size) = (name, signature, type, size)
            path = options + "/aHR0cDovL2V4YW1wbGUuY29tL3Bob3RvLnBuZw" + (format.isEmpty ? "" : "." + format)
        }
    }

    static let rows = [
        Row(
            "as it is", "jurjPlhuLOJsoySnsCbfNqBO3Cogd1JBNfeD4G8_WPQ", "/g:ce/rs:auto:0:0:0", "png",
            type: "image/png", size: PixelSize(width: 800, height: 600)),
        Row(
            "fit", "zqscUjTe0c-FwRzGFy8fDKvduWsvv72E1nbA5XXRoz8", "/g:ce/rs:fit:200:200:0", "jpg",
            type: "image/jpeg", size: PixelSize(width: 200, height: 150)),
        Row(
            "fill", "BjMncRvDchIxlDq_8ipiBEJzP8F4Dtb6aZy_A9V-34w", "/g:sm/rs:fill:120:90:0", "webp",
            type: "image/webp", size: PixelSize(width: 120, height: 90)),
        Row(
            "gravity", "iZE-6r_q3sFYbnyhAEzQj00SgSOnPuRkcIL1zVadk8k", "/g:noea/rs:fill:50:50:0", "png",
            type: nil, size: PixelSize(width: 50, height: 50)),
        Row(
            "enlarge", "09ylVXlOyq9eSpA4SZihCGIEt37zrOOsWBcMvbtkOYY", "/g:ce/rs:fit:1700:0:1", "jpg",
            type: nil, size: PixelSize(width: 1700, height: 1275)),
        Row(
            "advanced", "SnviEUduWO83X0cEf9OfJ3N62bUGPqwhsq73i0p5qSE", "/q:40/blur:3/dpr:2/g:ce/rs:fit:100:100:0",
            "jpg",
            type: nil, size: PixelSize(width: 200, height: 150)),
        Row(
            "no extension", "H27ayrpAIm29ow3VR4FTIrD8j65BYrRwGo8r-KynuUs", "/g:ce/rs:auto:64:64:0", "",
            type: "image/png", size: nil),
        Row(
            "called with options", "P4GiYVVN37icWhX-qjhRDhuzpflPSteUuekcseGZQNA", "/rot:90/g:ce/rs:auto:80:0:0", "",
            type: nil, size: nil),
    ]

    /// - Parameter isSigned: Whether the service has the client's key and salt.
    private func bench(isSigned: Bool) throws -> ServiceBench {
        let bench = try ServiceBench {
            guard isSigned else { return }
            // The digests of "key" and "salt".
            $0.keys = ["2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"]
            $0.salts = ["63479ad69a090b258277ec8fba6f99419a2ffb248981510657c944ccd1148e97"]
        }
        let picture = try TestImages.solid(width: 800, height: 600)
        let file = try ImageCodersManager.shared.encode(picture, format: .png, options: EncodingOptions())
        bench.server.answer(ServiceBench.url, file)
        return bench
    }

    @Test(arguments: rows, [true, false]) func urlsOfAnExistingClientAreAnswered(row: Row, isSigned: Bool) async throws
    {
        let bench = try bench(isSigned: isSigned)
        let answer = await bench.get("/" + (isSigned ? row.signature : "insecure") + row.path)
        #expect(answer.status == 200)
        if let type = row.type { #expect(answer.headers["Content-Type"] == type) }
        let info = try ImageCodersManager.shared.imageInfo(of: answer.data, limits: .default)
        if let size = row.size { #expect(info.pixelSize == size) }
    }

    @Test func changedAndUnsignedURLsOfTheClientAreRefused() async throws {
        let bench = try bench(isSigned: true)
        let row = try #require(Self.rows.first { $0.name == "fit" })
        #expect(await bench.get("/" + row.signature + row.path.replacing("200:200", with: "201:200")).status == 403)
        #expect(await bench.get("/insecure" + row.path).status == 403)
    }
}
