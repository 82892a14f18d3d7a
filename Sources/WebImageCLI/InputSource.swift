import Foundation
import WebImage

/// Operands that name pictures: URLs, or paths of files.
enum InputSource {
    /// The URL an operand means: as written when it has a scheme, else the file at that path.
    static func url(_ operand: String) -> URL {
        if let url = URL(string: operand), let scheme = url.scheme, scheme.count > 1 { return url }
        return URL(fileURLWithPath: operand)
    }

    /// The bytes of an operand, through the same loaders as every picture.
    static func data(_ operand: String, limits: DecodingLimits) async throws(WebImageError) -> Data {
        let context: WebImageContext = [.decodingLimits: limits]
        return try await ImageLoadersManager.shared.loadData(
            for: ImageDataLoad(url: url(operand), context: context), progress: nil
        ).data
    }
}
