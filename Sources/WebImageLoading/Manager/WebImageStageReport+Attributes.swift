import Foundation
import WebImageCore

extension WebImageStageSpan {
    /// The attributes that are known when the stage begins: `webimage.stage`, `webimage.load.id`, `url.scheme`,
    /// `server.address`, and `server.port` if the URL has a port. If OpenTelemetry's semantic conventions define
    /// a name for an attribute, this name is used.
    ///
    /// The attributes contain no secrets: user information, path, query and cache key are omitted. They are computed on
    /// every call.
    public var attributes: [String: String] {
        var attributes = ["webimage.stage": stage.rawValue, "webimage.load.id": "\(loadID)"]
        attributes["url.scheme"] = url.scheme?.lowercased()
        attributes["server.address"] = url.host?.lowercased()
        attributes["server.port"] = url.port.map { "\($0)" }
        return attributes
    }
}

extension WebImageStageReport {
    /// The attributes of the span and of its result: `webimage.origin` (`memory`, `disk`, `loader`), `webimage.bytes`,
    /// `webimage.image.width` and `.height` in pixels, `webimage.image.format`, `http.response.status_code`,
    /// `webimage.joined` (the number of loads whose work was joined) and, after a failure, `error.type` (the name of
    /// the ``WebImageError/Code`` of the error). Unknown values are omitted.
    ///
    /// The attributes contain no secrets (see ``WebImageStageSpan/attributes``). They are computed on every call.
    public var attributes: [String: String] {
        var attributes = span.attributes
        attributes["webimage.origin"] = originName
        attributes["webimage.bytes"] = byteCount.map { "\($0)" }
        attributes["webimage.image.width"] = pixelSize.map { "\($0.width)" }
        attributes["webimage.image.height"] = pixelSize.map { "\($0.height)" }
        attributes["webimage.image.format"] = format?.name
        attributes["http.response.status_code"] = statusCode.map { "\($0)" }
        if !joinedLoadIDs.isEmpty { attributes["webimage.joined"] = "\(joinedLoadIDs.count)" }
        attributes["error.type"] = error.map { "\($0.code)" }
        return attributes
    }

    /// `memory`, `disk` or `loader`; nil without an origin.
    var originName: String? {
        switch origin {
        case .memory?: "memory"
        case .disk?: "disk"
        case nil: nil
        default: "loader"
        }
    }
}
