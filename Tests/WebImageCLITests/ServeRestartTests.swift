import Foundation
import Testing
import WebImage
import WebImageServer
import WebImageServerTesting
import WebImageTestTraits
import WebImageTesting

/// Restarts the service behind nginx, with the samples of `Packaging/service`, as systemd does with `webimage.socket`:
/// the listening socket stays open, and each process inherits it.
@Suite(.timeLimit(minutes: 4), .serialized)
final class ServeRestartTests: Sendable {
    private let scratch: ScratchFolder
    private let source: FaultServer

    init() throws {
        scratch = try ScratchFolder()
        source = try FaultServer()
        var options = EncodingOptions()
        options.lossless = true
        let picture = try ImageCodersManager.shared.encode(
            try TestImages.solid(width: 80, height: 60), format: .png, options: options)
        source.route("/a.png", .body(picture, headers: ["Cache-Control": "max-age=600"]))
    }

    deinit { source.stop() }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Packaging/service")

    private static func sample(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    @Test func samplesAgreeOnTheAddressAndTheSecrets() throws {
        let socket = try Self.sample("webimage.socket"), unit = try Self.sample("webimage.service")
        let address = try #require(
            socket.split(separator: "\n").first { $0.hasPrefix("ListenStream=") }?.dropFirst("ListenStream=".count))
        #expect(try ListenAddress(String(address)).isLoopback)
        #expect(try Self.sample("nginx.conf").contains("server \(address);"))
        #expect(try Self.sample("Caddyfile").contains("reverse_proxy @read \(address) {"))
        #expect(socket.contains("Service=webimage.service\n") && unit.contains("Requires=webimage.socket\n"))
        #expect(
            unit.contains("Also=webimage.socket\n") && unit.contains("After=network-online.target webimage.socket\n"))
        let secrets = "--secrets-file /etc/webimage/secrets.env"
        for line in unit.split(separator: "\n") where line.contains("webimage serve") && line.hasPrefix("Exec") {
            #expect(line.contains(secrets), "\(line)")
        }
        #expect(!unit.contains("EnvironmentFile="))
        // No setting of the sample replaces the address of the socket unit.
        #expect(!(try Self.sample("serve.conf")).contains("\nlisten = "))
    }

    /// A program that keeps a listening socket and passes it to the service as descriptor 3, as systemd does. SIGHUP
    /// restarts the service, SIGTERM ends it.
    private static let manager = """
        use strict; use Socket; use Fcntl; use POSIX ();
        # A process that a thread of the test starts can inherit blocked signals.
        POSIX::sigprocmask(POSIX::SIG_SETMASK(), POSIX::SigSet->new());
        my ($port, @command) = @ARGV;
        socket(my $socket, PF_INET, SOCK_STREAM, 0) or die;
        setsockopt($socket, SOL_SOCKET, SO_REUSEADDR, 1);
        bind($socket, sockaddr_in($port, inet_aton("127.0.0.1"))) or die;
        listen($socket, 4096) or die;
        my ($child, $again, $over) = (0, 0, 0);
        $SIG{HUP} = sub { $again = 1; kill "TERM", $child };
        $SIG{TERM} = sub { $over = 1; kill "TERM", $child };
        do {
            $again = 0;
            $child = fork();
            if (!$child) {
                POSIX::dup2(fileno($socket), 3) if fileno($socket) != 3;
                open(my $three, ">&=", 3); fcntl($three, F_SETFD, 0);
                $ENV{LISTEN_PID} = $$; $ENV{LISTEN_FDS} = 1;
                exec @command or die;
            }
            my $ended;
            do { $ended = waitpid($child, 0) } while ($ended == -1 && $! == POSIX::EINTR());
            print STDERR "ended $?\\n";
        } while ($again && !$over);
        """

    /// Starts nginx with the sample configuration and returns its process number.
    private func startNginx(_ port: UInt16, _ service: UInt16) throws -> Int32 {
        var sample = try Self.sample("nginx.conf")
        for (old, new) in [
            ("/var/cache/nginx-webimage", scratch.url.appendingPathComponent("proxy-cache").path),
            ("server 127.0.0.1:8080;", "server 127.0.0.1:\(service);"), ("listen 80;", "listen 127.0.0.1:\(port);"),
            // Every request must reach the service.
            ("proxy_cache webimage;", "proxy_cache off;"),
        ] {
            #expect(sample.contains(old))
            sample = sample.replacingOccurrences(of: old, with: new)
        }
        let file = scratch.url.appendingPathComponent("nginx.conf")
        let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }
        try """
        daemon off; master_process off; pid nginx.pid;
        events { worker_connections 512; }
        http { access_log off; \(kinds.joined(separator: " ")) keepalive_requests 100000; \(sample) }

        """.write(to: file, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/sbin/nginx")
        process.arguments = ["-p", scratch.url.path, "-e", "error.log", "-c", file.path]
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return process.processIdentifier
    }

    private static func freePort() throws -> UInt16 {
        let server = try FaultServer()
        defer { server.stop() }
        return UInt16(server.port)
    }

    @Test func restartUnderLoadBehindNginxLosesNoRequest() async throws {
        guard ["/usr/sbin/nginx", "/usr/bin/perl"].allSatisfy(FileManager.default.isExecutableFile) else {
            print("nginx or perl is not installed: the restart is not tried")
            return
        }
        let restarts = ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] == nil ? 4 : 20
        let port = try Self.freePort(), proxyPort = try Self.freePort()
        let script = scratch.url.appendingPathComponent("manager.pl").path
        try Self.manager.write(toFile: script, atomically: true, encoding: .utf8)
        let started = try Tool.start(
            [
                "serve", "--allowed-address", "127.0.0.0/8", "--cache-dir", scratch.url.path, "--trusted-proxy",
                // On a busy machine a picture may take longer than the 8 seconds of the default.
                "127.0.0.1", "--decode-timeout", "60",
            ],
            through: ["/usr/bin/perl", script, "\(port)"])
        // Not SIGKILL: the manager then could not end the service.
        defer { kill(started.process.processIdentifier, SIGTERM) }
        let errors = Locked("")
        let reading = Thread { [handle = started.errors.fileHandleForReading] in
            while case let data = handle.availableData, !data.isEmpty {
                errors.withLock { $0 += String(decoding: data, as: UTF8.self) }
            }
        }
        reading.start()
        let output = Thread { [handle = started.output.fileHandleForReading] in
            while !handle.availableData.isEmpty {}
        }
        output.start()
        @Sendable func count(_ mark: String) -> Int { errors.withLock { $0.components(separatedBy: mark).count - 1 } }
        #expect(await eventually { count("serving ") == 1 }, "\(errors.withLock { $0 })")
        let nginx = try startNginx(proxyPort, port)
        defer { kill(nginx, SIGKILL) }
        let proxy = ListenAddress.network(host: "127.0.0.1", port: proxyPort)
        #expect(await eventually { (try? RawClient(proxy)) != nil })
        let isOver = Locked(false)
        let done = Locked(0)
        let target = source.url("/a.png").absoluteString
        let statuses = try await withThrowingTaskGroup(of: [String: Int].self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await onThread {
                        var counts: [String: Int] = [:]
                        var client = try RawClient(proxy)
                        var round = 0
                        while !isOver.withLock({ $0 }) {
                            round += 1
                            // Most results are stored; a few are made anew.
                            let width = round % 20 == 0 ? 100 + round * 8 + number : 1 + round % 16
                            let answer = try client.get("/_/w:\(width)/el:1/f:png/plain/\(target)")
                            let text = answer.status == 200 ? "" : " " + String(decoding: answer.body, as: UTF8.self)
                            counts["\(answer.status)\(text)", default: 0] += 1
                            done.withLock { $0 += 1 }
                            if round % 50 == 0 { client = try RawClient(proxy) }
                        }
                        return counts
                    }
                }
            }
            group.addTask {
                defer { isOver.withLock { $0 = true } }
                for restart in 1...restarts {
                    let before = done.withLock { $0 }
                    #expect(await eventually { done.withLock { $0 } > before + 100 })
                    kill(started.process.processIdentifier, SIGHUP)
                    #expect(await eventually { count("serving ") == restart + 1 }, "\(errors.withLock { $0 })")
                }
                let before = done.withLock { $0 }
                #expect(await eventually { done.withLock { $0 } > before + 100 })
                return [:]
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
        }
        print("\(restarts) restarts: answers by status \(statuses)")
        #expect(Set(statuses.keys) == ["200"], "\(statuses)")
        #expect(count("ended 0\n") == restarts, "\(errors.withLock { $0 })")
        kill(started.process.processIdentifier, SIGTERM)
        try await onThread { [process = Locked(started.process)] in process.withLock { $0 }.waitUntilExit() }
        // A thread of its own reads the errors.
        #expect(await eventually { count("ended 0\n") == restarts + 1 }, "\(errors.withLock { $0 })")
    }
}
