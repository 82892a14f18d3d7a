import Foundation
import Testing
import WebImageLoading
import WebImageTestTraits

/// The environment variable `WEBIMAGE_LOG` makes every manager log its loads.
@Suite(.timeLimit(minutes: 1))
struct LoadLoggerTests {
    @Test func everyManagerLogsItsLoads() async {
        await #expect(processExitsWith: .success) {
            setenv("WEBIMAGE_LOG", "debug", 1)
            precondition(WebImageManager.shared.listener is WebImageLoadLogger)
            precondition(WebImagePrefetcher.shared.manager.listener is WebImageLoadLogger)
            precondition(WebImageManager().listener is WebImageLoadLogger)
        }
    }

    @Test func withoutTheVariableNothingIsLogged() async {
        await #expect(processExitsWith: .success) {
            unsetenv("WEBIMAGE_LOG")
            precondition(WebImageManager.shared.listener == nil)
            precondition(WebImagePrefetcher.shared.manager.listener == nil)
        }
    }
}
