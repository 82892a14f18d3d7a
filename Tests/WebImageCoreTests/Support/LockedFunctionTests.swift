import Foundation
import Testing
import WebImageCore

/// Functions in a `Locked`. Stored as they are, each access would make all later calls deeper, until the stack is full.
@Suite struct LockedFunctionTests {
    /// How deep the stack is in the function, counted from an address that was taken before the call.
    @inline(never) private static func depth(_ call: () -> UInt) -> UInt {
        var mark: UInt8 = 0
        let here = withUnsafePointer(to: &mark) { UInt(bitPattern: $0) }
        return here &- call()
    }

    @inline(never) @Sendable private static func address() -> UInt {
        var mark: UInt8 = 0
        return withUnsafePointer(to: &mark) { UInt(bitPattern: $0) }
    }

    @Test func accessesMakeCallsNoDeeper() {
        let stored = Locked<LockedFunction<@Sendable () -> UInt>?>(LockedFunction { Self.address() })
        let first = Self.depth { stored.withLock { $0 }?.call() ?? 0 }
        for _ in 0..<1000 { _ = stored.withLock { $0 == nil } }
        let last = Self.depth { stored.withLock { $0 }?.call() ?? 0 }
        #expect(first > 0 && last == first, "\(first) and \(last) bytes")
    }

    /// What the structure is for. If this fails, the compiler stores functions as they are, and the structure can go.
    @Test func aPlainFunctionBecomesDeeper() {
        let stored = Locked<(@Sendable () -> UInt)?> { Self.address() }
        let first = Self.depth { stored.withLock { $0 }?() ?? 0 }
        for _ in 0..<100 { _ = stored.withLock { $0 == nil } }
        #expect(Self.depth { stored.withLock { $0 }?() ?? 0 } > first)
    }

    @Test func noSourceStoresAFunctionAsTheStateOfALock() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let root = tests.appendingPathComponent("../../../Sources")
        var texts: [String: String] = [:]
        for case let file as URL in try #require(
            FileManager.default.enumerator(at: root.standardizedFileURL, includingPropertiesForKeys: nil))
        where file.pathExtension == "swift" {
            texts[file.lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
        }
        #expect(texts.count > 500)
        let names = Set(
            texts.values.flatMap { $0.matches(of: /typealias (\w+)(?:<.*>)? =\s[^\n]*->/).map { String($0.output.1) } })
        for (file, text) in texts {
            for found in text.matches(of: /Locked<(\(?@Sendable [^\n]*->[^\n]*|\(?\(\) ?->[^\n]*|(?:\w+\.)?(\w+)\??>)/)
            {
                let isNamed = found.output.2.map { names.contains(String($0)) }
                #expect(isNamed == false, "\(file): \(found.output.0)")
            }
        }
    }
}
