import Foundation

/// A program that fetches a list of URLs with limited concurrency, in its own process, and prints the number of bytes.
struct DownloadCompetitor: Sendable {
    let name: String
    /// The command; `list` is a file with one URL per line.
    let command: @Sendable (_ list: String, _ job: DownloadJob) -> [String]

    /// Returns the byte count, which is the sum of the numbers in the output.
    static func bytes(_ output: String) -> Int {
        output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.reduce(0, +)
    }

    /// Our library: this program, started again as a downloader.
    static let ours = DownloadCompetitor(name: "webimage") { list, job in
        [MeasuredProcess.itself, DownloadWorker.name, "webimage", list, "\(job.concurrency)", job.certificate ?? "-"]
    }

    /// Foundation's URLSession, in this program started again. It accepts only the system's certificate authorities,
    /// so it is measured only with HTTP/1.1.
    static let urlSession = DownloadCompetitor(name: "URLSession") { list, job in
        [MeasuredProcess.itself, DownloadWorker.name, "urlsession", list, "\(job.concurrency)", "-"]
    }

    /// libcurl's multi interface in a C program, which is the practical limit. Like our library, it keeps each body in
    /// memory until the body is complete.
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

    /// Python's aiohttp, which supports only HTTP/1.1.
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

/// The URLs to fetch and how.
struct DownloadJob: Sendable {
    let name: String
    let urls: [String]
    let bytes: Int
    let concurrency: Int
    /// The file with the certificate authorities for TLS; nil for HTTP/1.1 without TLS.
    let certificate: String?
}
