import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// `webimage load` with objects of buckets.
@Suite(.serialized, .timeLimit(minutes: 2)) struct BucketCommandTests {
    private let store: FaultServer
    private let folder: ScratchFolder

    init() throws { (store, folder) = (try FaultServer(), try ScratchFolder()) }

    private func load(_ operands: [String], environment: [String: String] = [:]) throws -> Tool.Outcome {
        try Tool.run(["load", "--cache", folder.url.path, "--json"] + operands, environment: environment)
    }

    private var endpoint: String { "http://127.0.0.1:\(store.port)" }

    @Test func objectAndItsVersionsAreLoaded() throws {
        defer { store.stop() }
        let pictures = try [4, 6].map { width in
            try ImageCodersManager.shared.encode(
                TestImages.solid(width: width, height: 3), format: .png, options: EncodingOptions())
        }
        store.route(
            "/pictures/a%20b.png",
            .dynamic {
                .body(pictures[$0.query == "versionId=old.1" ? 1 : 0], headers: ["ETag": "\"\($0.query ?? "")\""])
            })
        let address = "s3://pictures?endpoint=\(endpoint)&access=public"
        let run = try load([
            "--s3-source", address, "s3://pictures/a%20b.png", "s3://pictures/a%20b.png?versionId=old.1", "--ordered",
        ])
        #expect(run.code == 0, "\(run.errors)")
        let widths = try run.objects().map { $0["width"] as? Int }
        #expect(widths == [4, 6])
        #expect(store.requests.allSatisfy { $0.headers["authorization"] == nil })
        // Both are in the cache, each under its own name.
        store.routeOthers(.status(500))
        store.route("/pictures/a%20b.png", .status(500))
        let again = try load([
            "--s3-source", address, "s3://pictures/a%20b.png", "s3://pictures/a%20b.png?versionId=old.1", "--ordered",
        ])
        #expect(try again.objects().map { $0["width"] as? Int } == [4, 6], "\(again.errors)")
    }

    /// The usual variables decide about a bucket without an address.
    @Test func bucketWithoutAnAddressHasThatOfTheEnvironment() throws {
        defer { store.stop() }
        let picture = try ImageCodersManager.shared.encode(
            TestImages.solid(width: 4, height: 3), format: .png, options: EncodingOptions())
        store.route("/pictures/a.png", .body(picture))
        let variables = [
            "AWS_ENDPOINT_URL_S3": endpoint, "AWS_ACCESS_KEY_ID": "KEYID", "AWS_SECRET_ACCESS_KEY": "s3cretword",
            "AWS_REGION": "eu-1",
        ]
        let run = try load(["s3://pictures/a.png"], environment: variables)
        #expect(run.code == 0, "\(run.errors)")
        let field = try #require(store.requests.first?.headers["authorization"])
        #expect(field.contains("KEYID/") && field.contains("/eu-1/s3/") && !field.contains("s3cretword"))
        let missing = try load(["s3://pictures/none.png"], environment: variables)
        #expect(missing.code != 0 && !missing.errors.contains("s3cretword"), "\(missing.errors)")
    }

    @Test(arguments: [
        (["s3://ab/a.png"], "no object"), (["s3://pictures/a.png?x=1"], "versionId"),
        (["s3://pictures/a.png?versionId="], "versionId"), (["s3://pictures/../a.png"], "no object"),
        (["s3://pictures/"], "no object"), (["--s3-source", "s3://ab", "s3://pictures/a.png"], "no address"),
        (["--s3-source", "s3://abc", "--s3-source", "s3://abc/x", "s3://abc/a.png"], "two addresses"),
    ])
    func wrongObjectsAndAddressesAreUsageErrors(row: (operands: [String], hint: String)) throws {
        defer { store.stop() }
        let run = try load(row.operands)
        #expect(run.code == 1 && run.errors.contains(row.hint), "\(row.operands): \(run.errors)")
    }
}
