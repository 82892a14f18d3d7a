import Testing
import WebImageHTTP
import WebImageServerTesting

@testable import WebImageServer

@Suite struct ForwardedClientTests {
    private static let trusted = ["10.0.0.0/8", "::1"].compactMap { AddressRange($0) }

    @Test(
        arguments: [
            ("192.0.2.1", "9.9.9.9", "192.0.2.1"),  // the peer is no trusted proxy, so the field is ignored
            ("10.0.0.1", nil, "10.0.0.1"),
            ("10.0.0.1", "9.9.9.9", "9.9.9.9"),
            ("10.0.0.1", "6.6.6.6, 9.9.9.9", "9.9.9.9"),
            ("10.0.0.1", "9.9.9.9,10.0.0.2 ,\t10.0.0.3", "9.9.9.9"),
            ("10.0.0.1", "10.0.0.9", "10.0.0.9"),
            ("10.0.0.1", "junk", "10.0.0.1"),
            ("10.0.0.1", "9.9.9.9, junk, 10.0.0.2", "10.0.0.2"),
            ("10.0.0.1", "", "10.0.0.1"),
            ("10.0.0.1", ",,", "10.0.0.1"),
            ("10.0.0.1", "9.9.9.9:4711", "9.9.9.9"),
            ("10.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"),
            ("10.0.0.1", "[2001:db8::1]", "2001:db8::1"),
            ("10.0.0.1", "2001:db8::1", "2001:db8::1"),
            ("::1", "::ffff:9.9.9.9", "9.9.9.9"),
            ("10.0.0.1", "unknown", "10.0.0.1"),
            (nil, "6.6.6.6, 9.9.9.9", "9.9.9.9"),
            (nil, nil, nil),
        ] as [(String?, String?, String?)])
    func clientIsFound(peer: String?, field: String?, expected: String?) {
        let found = ForwardedClient.address(
            peer: peer.flatMap { IPAddress($0) }, field: field, trusted: Self.trusted)
        #expect(found?.description == expected)
    }
}

@Suite struct ConnectionTableTests {
    @Test func networkOfSixtyFourBitsIsOneClient() throws {
        var table = ConnectionTable()
        var limits = HTTPServerConfiguration()
        limits.maxConnectionsPerClient = 2
        var first: UInt64?
        func accept(_ descriptor: Int32, _ address: String) -> Bool {
            guard
                case .accepted(let number) = table.accept(
                    descriptor, peer: IPAddress(address), at: .zero, limits: limits)
            else { return false }
            if first == nil { first = number }
            return true
        }
        #expect(accept(1, "2001:db8::1"))
        #expect(accept(2, "2001:db8::2"))
        #expect(!accept(3, "2001:db8::ffff:0:0:3"))
        #expect(accept(4, "2001:db8:0:1::1"))
        #expect(accept(5, "192.0.2.1"))
        #expect(accept(6, "192.0.2.1"))
        #expect(!accept(7, "192.0.2.1"))
        #expect(accept(8, "192.0.2.2"))
        table.remove(try #require(first))
        #expect(accept(9, "2001:db8::3"))
        #expect(!accept(10, "2001:db8::4"))
    }

    private func accepted(_ table: inout ConnectionTable, _ limits: HTTPServerConfiguration) throws -> UInt64 {
        guard case .accepted(let number) = table.accept(5, peer: nil, at: .zero, limits: limits) else {
            throw RawClient.Failure(description: "not accepted")
        }
        return number
    }

    @Test func connectionThatIsNotClosedAfterItsLastResponseIsCut() throws {
        var table = ConnectionTable()
        let limits = HTTPServerConfiguration()
        let number = try accepted(&table, limits)
        table.setPhase(number, .lingering(since: .zero))
        #expect(table.sweep(at: .milliseconds(1_999), limits: limits) { _ in 0 }.isEmpty)
        #expect(table.sweep(at: .seconds(2), limits: limits) { _ in 0 }.map(\.reason) == [.linger])
    }

    @Test func progressExtendsTheDeadlineOfAResponse() throws {
        var table = ConnectionTable()
        let limits = HTTPServerConfiguration()
        let number = try accepted(&table, limits)
        table.sending(number, bytes: 1 << 20, at: .zero, limits: limits)
        var bytes: Int64 = 0
        for second in stride(from: 20, through: 1_000, by: 20) {
            bytes += 1_000
            #expect(table.sweep(at: .seconds(second), limits: limits) { _ in bytes }.isEmpty)
        }
        #expect(table.sweep(at: .seconds(1_029), limits: limits) { _ in bytes }.isEmpty)
        #expect(table.sweep(at: .seconds(1_030), limits: limits) { _ in bytes }.map(\.reason) == [.send])
        // A sweep reports each connection only once.
        #expect(table.sweep(at: .seconds(2_000), limits: limits) { _ in bytes }.isEmpty)
    }

    @Test func clientBelowTheMinimumRateIsDisconnected() throws {
        var table = ConnectionTable()
        let limits = HTTPServerConfiguration()
        table.sending(try accepted(&table, limits), bytes: 10_240, at: .zero, limits: limits)
        for second in 1..<40 {
            #expect(table.sweep(at: .seconds(second), limits: limits) { _ in Int64(second) }.isEmpty)
        }
        #expect(table.sweep(at: .seconds(40), limits: limits) { _ in 40 }.map(\.reason) == [.send])
    }

    /// A slow source is not the client's fault. The time of the client begins with the next bytes.
    @Test func clientThatWaitsForTheSourceIsNotCut() throws {
        var table = ConnectionTable()
        let limits = HTTPServerConfiguration()
        let number = try accepted(&table, limits)
        table.sending(number, bytes: 1_000, at: .zero, limits: limits)
        table.setPhase(number, .awaiting)
        #expect(table.sweep(at: .seconds(1_000), limits: limits) { _ in 5 }.isEmpty)
        #expect(table.isSending && table.cutWaiting(before: .seconds(1_000)).isEmpty)
        table.sending(number, bytes: 1_000, at: .seconds(1_000), limits: limits)
        #expect(table.sweep(at: .seconds(1_001), limits: limits) { _ in 5 }.isEmpty)
        #expect(table.sweep(at: .seconds(1_031), limits: limits) { _ in 5 }.map(\.reason) == [.send])
    }
}
