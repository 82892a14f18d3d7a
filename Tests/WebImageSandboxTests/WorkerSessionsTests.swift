import Testing

@testable import WebImageSandbox

struct WorkerSessionsTests {
    private let sessions = WorkerSessions()

    @Test func sessionIsClosedOnceAtTheNextRequest() {
        sessions.keep(1)
        sessions.keep(2)
        #expect(sessions.keeps(1) && !sessions.isEmpty)
        sessions.closeLater(1)
        sessions.closeLater(1)
        #expect(!sessions.keeps(1) && sessions.keeps(2) && !sessions.isEmpty)
        #expect(sessions.takeClosed() == [1])
        #expect(sessions.takeClosed() == [])
        sessions.closeLater(2)
        #expect(sessions.isEmpty && sessions.takeClosed() == [2])
    }

    @Test func unknownSessionIsNotClosed() {
        sessions.keep(1)
        sessions.closeLater(7)
        #expect(sessions.takeClosed() == [] && sessions.keeps(1))
        // The number was forgotten: a session that is kept later stays.
        sessions.keep(7)
        #expect(sessions.keeps(7) && sessions.takeClosed() == [])
    }

    @Test func longestUnusedOfTooManyIsClosed() {
        for session in 1...16 { sessions.keep(UInt64(session)) }
        sessions.keep(1)
        #expect(sessions.takeClosed() == [])
        sessions.keep(17)
        #expect(!sessions.keeps(2) && sessions.keeps(1))
        #expect(sessions.takeClosed() == [2])
        // A closed session may be opened again.
        sessions.keep(2)
        #expect(sessions.keeps(2) && sessions.takeClosed() == [3])
    }
}
