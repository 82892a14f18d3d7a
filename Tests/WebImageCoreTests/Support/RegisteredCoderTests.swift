import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

/// A list of coders replaces a coder when it needs the coder first.
struct RegisteredCoderTests {
    private final class Plain: ImageCoder {
        func canDecode(from data: Data) -> Bool { true }
        var describesFiles: Bool { false }
        func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
            throw .badData("fake", "")
        }
        func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
            throw .badData("fake", "no image")
        }
    }

    @Test func coderIsReplacedOnceByTheFirstOfManyThreads() {
        for _ in 0..<50 {
            let calls = Locked(0)
            let manager = ImageCodersManager(coders: [Plain()])
            manager.replaceCoders { _ in
                calls.withLock { $0 += 1 }
                return FakeCoder()
            }
            #expect(calls.withLock { $0 } == 0)
            let roles = Locked<[ObjectIdentifier]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                let coder = manager.resolvedCoders[0]
                #expect(coder.role is FakeCoder)
                if let coder = coder.role as? FakeCoder { roles.withLock { $0.append(ObjectIdentifier(coder)) } }
            }
            #expect(calls.withLock { $0 } == 1 && Set(roles.withLock { $0 }).count == 1)
        }
    }

    @Test func lookupReplacesOnlyTheCoderThatItUses() {
        let manager = ImageCodersManager(coders: [Plain(), FakeCoder(), Plain()])
        manager.replaceCoders { $0 }
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
