import Foundation

/// The page at `/`. It shows the grammar of targets and a form to try a target.
enum StartPage {
    /// Parses the query of a target as form fields (`application/x-www-form-urlencoded`). If a name occurs several
    /// times, its last value is used. At most 16 fields are read.
    static func query(_ target: String) -> [String: String] {
        guard let mark = target.firstIndex(of: "?") else { return [:] }
        var fields: [String: String] = [:]
        for pair in target[target.index(after: mark)...].split(separator: "&").prefix(16) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? parts[1].replacingOccurrences(of: "+", with: " ") : ""
            fields[String(parts[0])] = value.removingPercentEncoding ?? ""
        }
        return fields
    }

    static func html(_ query: [String: String], _ settings: ServiceSettings) -> String {
        let source = query["source"] ?? "", options = query["options"] ?? "rs:fit:480:480"
        let target = source.isEmpty ? nil : target(source, options: options, settings)
        var trial = ""
        if settings.configuration.requiresSignature {
            trial = "<p>Targets are signed here: make them with <code>webimage sign</code>.</p>"
        } else {
            trial = """
                <form method="get" action="\(escaped(settings.configuration.pathPrefix))/">
                <label>Source<input name="source" type="text" size="60" value="\(escaped(source))"
                placeholder="https://example.com/photo.jpg" required></label>
                <label>Options<input name="options" type="text" size="40" value="\(escaped(options))"></label>
                <button type="submit">Show</button></form>
                """
        }
        if let target {
            trial += """

                <p><a href="\(escaped(target))"><code>\(escaped(target))</code></a></p>
                <p class="result"><img src="\(escaped(target))" alt="The result"></p>
                """
        }
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>webimage</title>
            <meta name="viewport" content="width=device-width"><style>\(style)</style></head><body>
            <h1>webimage</h1>
            <p>Pictures by URL, at a size, in the format the client takes.</p>
            \(trial)
            <h2>Targets</h2>
            <pre>/SIGNATURE/OPTIONS/plain/SOURCE@FORMAT
            /SIGNATURE/OPTIONS/BASE64.FORMAT
            /info/SIGNATURE/plain/SOURCE</pre>
            <p>Options are <code>name:argument:argument</code>, separated by slashes; every part but the signature and
            the source may be left out. Without keys the signature is any word.</p>
            <table><tr><th>Option<th>Aliases</tr>
            \(rows)
            </table></body></html>

            """
    }

    private static func target(_ source: String, options: String, _ settings: ServiceSettings) -> String? {
        guard !settings.configuration.requiresSignature else { return nil }
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove(charactersIn: "@?%#")
        guard let escapedSource = source.addingPercentEncoding(withAllowedCharacters: allowed),
            let escapedOptions = options.addingPercentEncoding(withAllowedCharacters: allowed)
        else { return nil }
        let middle = escapedOptions.isEmpty ? "" : escapedOptions + "/"
        return settings.configuration.pathPrefix + "/_/" + middle + "plain/" + escapedSource
    }

    private static var rows: String {
        OptionTable.rows.map { row in
            "<tr><td><code>\(row.names[0])</code><td><code>\(row.names.dropFirst().joined(separator: " "))</code></tr>"
        }.joined(separator: "\n")
    }

    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
        return result
    }

    private static let style = """
        body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
        label{display:block;margin:.5rem 0}input{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.3rem}
        button{font:inherit;padding:.3rem 1rem}pre,code{background:#f3f3f3;overflow-wrap:anywhere}pre{padding:1rem;overflow:auto}
        img{max-width:100%;background:repeating-conic-gradient(#ddd 0 25%,#fff 0 50%) 0/16px 16px}
        td,th{text-align:left;padding:0 1rem 0 0}
        @media(prefers-color-scheme:dark){body{color:#eee;background:#222}pre,code{background:#333}a{color:#8cf}}
        """
}
