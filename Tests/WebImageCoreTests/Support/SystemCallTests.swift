import Foundation
import Testing

@testable import WebImageCore

struct SystemCallTests {
    /// Returns what a transfer of 10 bytes reports if its calls return these results.
    private func transfer(_ results: [(Int, Int32)]) -> (error: Int32, parts: [[Int]]) {
        var (results, parts) = (results, [[Int]]())
        let error = SystemCall.transfer(10) { done, rest in
            parts.append([done, rest])
            let (result, number) = results.isEmpty ? (-1, EPERM) : results.removeFirst()
            errno = number
            return result
        }
        return (error, parts)
    }

    @Test func transferRepeatsPartsAndInterruptedCalls() {
        let (error, parts) = transfer([(3, 0), (-1, EINTR), (6, 0), (1, 0)])
        #expect(error == 0 && parts == [[0, 10], [3, 7], [3, 7], [9, 1]])
        #expect(SystemCall.transfer(0) { _, _ in -1 } == 0)
    }

    @Test func transferEndsAtAnErrorAndAtAnEmptyPart() {
        #expect(transfer([(3, 0), (-1, ENOSPC)]).error == ENOSPC)
        #expect(transfer([(3, 0), (0, 0)]).error == EIO)
    }

    @Test func socketAddressHasItsPathAndCutsALongOne() {
        func path(_ address: sockaddr_un) -> [UInt8] {
            withUnsafeBytes(of: address.sun_path) { Array($0.prefix { $0 != 0 }) }
        }
        #expect(path(sockaddr_un(path: "/run/a".utf8)) == Array("/run/a".utf8))
        let room = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        #expect(path(sockaddr_un(path: String(repeating: "a", count: 200).utf8)).count == room - 1)
        sockaddr_un(path: "a".utf8).withAddress { address, length in
            #expect(address.pointee.sa_family == AF_UNIX && length == MemoryLayout<sockaddr_un>.size)
        }
    }
}
