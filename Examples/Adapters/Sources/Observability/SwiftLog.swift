// Sends the library's log records to swift-log (1.5 and later). Copy this file into your target.
// Here, the file is compiled against stubs of the declarations that it uses. It was not tested with the real package.
//     WebImageLog.shared.destination = SwiftLogDestination(logger: Logger(label: "webimage"))
//     WebImageManager.shared.listener = WebImageLoadLogger()  // a record for every stage of every load
import Logging
import WebImage

struct SwiftLogDestination: WebImageLogging {
    let logger: Logger

    func log(_ level: WebImageLogLevel, _ message: String, metadata: [String: String]) {
        let levels: [WebImageLogLevel: Logger.Level] = [
            .debug: .debug, .info: .info, .warning: .warning, .error: .error,
        ]
        logger.log(level: levels[level] ?? .info, "\(message)", metadata: metadata.mapValues { .string($0) })
    }
}
