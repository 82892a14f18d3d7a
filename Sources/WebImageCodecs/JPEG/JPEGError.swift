import CWebImageCodecShim
import WebImageCore

/// Converts the status codes of the libjpeg shim to errors with a hint.
enum JPEGError {
    static func error(_ status: Int32, _ handle: OpaquePointer, _ limits: DecodingLimits) -> WebImageError {
        let seconds = Int(clamping: limits.maxDecodeTime.components.seconds)
        switch Int(status) {
        case WEBIMAGE_JPEG_OUT_OF_TIME:
            // The decode also ends when its job is cancelled.
            do throws(WebImageError) { try WorkBudget.checkCurrent() } catch { return error }
            return .limit(.decodeTime, actual: seconds, allowed: seconds)
        case WEBIMAGE_JPEG_TOO_MANY_SCANS: return .badData("libjpeg", "more than 500 scans", hint: damaged)
        case WEBIMAGE_JPEG_ANCILLARY:
            return .limit(.ancillaryBytes, actual: .max, allowed: limits.maxAncillaryBytes)
        case WEBIMAGE_JPEG_TRUNCATED:
            return .badData("libjpeg", "the file ends inside its picture", hint: truncated)
        default:
            let message = String(cString: webimage_jpeg_message(handle))
            return .badData("libjpeg", message, hint: webimage_jpeg_ran_dry(handle) != 0 ? truncated : damaged)
        }
    }

    private static let truncated = "The file is cut off. Fetch it again."
    private static let damaged = "The file is damaged, or a kind of JPEG that viewers do not support."
}
