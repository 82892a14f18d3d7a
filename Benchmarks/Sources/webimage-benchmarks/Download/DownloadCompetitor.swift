import Foundation

/// A program that fetches a list of URLs with limited concurrency and prints the number of received bytes.
struct DownloadCompetitor: Sendable {
    let name: String
    /// Returns the command line of a program that does a job. `list` is the path of a file that contains the URLs of
    /// the job, one per line.
    let command: @Sendable (_ list: String, _ job: DownloadJob) -> [String]

    /// Returns the number of bytes that a program received. This is the sum of all numbers in its output, because curl
    /// prints one number per file.
    static func bytes(_ output: String) -> Int {
        output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.reduce(0, +)
    }

    /// Our library, in a second process of this program; see ``DownloadWorker``.
    static let ours = DownloadCompetitor(name: "webimage") { list, job in
        [MeasuredProcess.itself, DownloadWorker.name, "webimage", list, "\(job.concurrency)", job.certificate ?? "-"]
    }

    /// Foundation's `URLSession`, in a second process of this program; see ``DownloadWorker``. `URLSession` accepts
    /// only the certificate authorities of the system. The test server uses a different certificate authority, so
    /// `URLSession` is measured only with HTTP/1.1 without TLS.
    static let urlSession = DownloadCompetitor(name: "URLSession") { list, job in
        [MeasuredProcess.itself, DownloadWorker.name, "urlsession", list, "\(job.concurrency)", "-"]
    }

    /// libcurl's multi interface in a C program, `webimage-download-curl`. Its time is the practical limit
    /// for our library, which also uses libcurl. Like our library, it keeps each body in memory until the
    /// body is complete.
    static let multi = DownloadCompetitor(name: "libcurl in C, the limit") { list, job in
        let program = URL(fileURLWithPath: MeasuredProcess.itself).deletingLastPathComponent()
            .appendingPathComponent("webimage-download-curl").path
        return [program, list, "\(job.concurrency)", job.certificate ?? "-"]
    }

    static let curl = DownloadCompetitor(name: "curl --parallel") { list, job in
        let urls = (try? String(contentsOfFile: list, encoding: .utf8))?.split(separator: "\n") ?? []
        let config = list + ".curl"
        let lines = urls.map { "url = \"\($0)\"\noutput = \"/dev/null\"\n" }.joined()
        try? Data(lines.utf8).write(to: URL(fileURLWithPath: config))
        return [
            "curl", "--silent", "--no-progress-meter", "--parallel", "--parallel-max", "\(job.concurrency)", "--config",
            config,
            "--write-out", "%{size_download}\\n",
        ] + (job.certificate.map { ["--http2", "--cacert", $0] } ?? ["--http1.1"])
    }

    /// Python's aiohttp, which supports only HTTP/1.1. `python` is the path of the interpreter.
    static func aiohttp(_ python: String) -> DownloadCompetitor {
        DownloadCompetitor(name: "aiohttp") { list, job in
            [python, "-c", script, list, "\(job.concurrency)"]
        }
    }

    private static let script = """
        import asyncio, sys, aiohttp
        async def main():
            urls = open(sys.argv[1]).read().split()
            connector = aiohttp.TCPConnector(limit=int(sys.argv[2]))
            async with aiohttp.ClientSession(connector=connector) as session:
                async def fetch(url):
                    async with session.get(url) as response:
                        response.raise_for_status()
                        return len(await response.read())
                print(sum(await asyncio.gather(*map(fetch, urls))))
        asyncio.run(main())
        """
}

/// The URLs that each competitor fetches, the expected number of bytes, the number of concurrent downloads,
/// and the TLS setting.
struct DownloadJob: Sendable {
    let name: String
    let urls: [String]
    let bytes: Int
    let concurrency: Int
    /// The path of the certificate authority file, for HTTP/2 over TLS; nil for HTTP/1.1 without TLS.
    let certificate: String?
}
