import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

/// A list of coders asks a coder for its roles when it needs the first of them.
struct ResolvedCoderTests {
    private final class Plain: ImageCoder {
        func canDecode(from data: Data?) -> Bool { true }
        func decodedImage(with data: Data?, options: ImageCoderOptions?) -> Image? { nil }
        func canEncode(to format: ImageFormat) -> Bool { false }
        func encodedData(with image: Image?, format: ImageFormat, options: ImageCoderOptions?) -> Data? { nil }
    }

    @Test func rolesAreResolvedOnceByTheFirstOfManyThreads() {
        for _ in 0..<50 {
            let calls = Locked(0)
            let manager = ImageCodersManager(coders: [Plain()])
            manager.replaceCoders { _ in
                calls.withLock { $0 += 1 }
                return FakeCoder()
            }
            #expect(calls.withLock { $0 } == 0)
            let roles = Locked<[ObjectIdentifier]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { index in
                let coder = manager.resolvedCoders[0]
                // Half of the threads need the coder, the others one of its roles.
                if index % 2 == 0 { #expect(coder.role is FakeCoder) } else { #expect(coder.detailed is FakeCoder) }
                if let coder = coder.role as? FakeCoder { roles.withLock { $0.append(ObjectIdentifier(coder)) } }
            }
            #expect(calls.withLock { $0 } == 1 && Set(roles.withLock { $0 }).count == 1)
        }
    }

    @Test func lookupResolvesOnlyTheCoderThatItUses() {
        let manager = ImageCodersManager(coders: [Plain(), FakeCoder(), Plain()])
        #expect(manager.resolvedCoders.allSatisfy { !$0.isResolved })
        _ = try? manager.animation(of: Data("x".utf8), options: DecodingOptions())
        #expect(manager.resolvedCoders.map(\.isResolved) == [false, false, true])
    }

    @Test func replacementHoldsForCodersThatAreAddedLater() {
        let (first, second, third) = (Plain(), Plain(), Plain())
        let manager = ImageCodersManager(coders: [first])
        manager.replaceCoders { $0 is FakeCoder ? $0 : FakeCoder() }
        manager.addCoder(second)
        #expect(manager.coders.count == 2 && manager.coders.allSatisfy { $0 is FakeCoder })
        manager.removeCoder(third)
        #expect(manager.coders.count == 2)
        manager.removeCoder(first)
        #expect(manager.coders.count == 1)
        manager.removeCoder(manager.coders[0])
        #expect(manager.coders.isEmpty)
        manager.coders = [third]
        #expect(manager.coders[0] is FakeCoder)
    }
}
