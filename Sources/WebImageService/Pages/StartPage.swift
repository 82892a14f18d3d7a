import Foundation

/// The page at `/`. It has a form to try a target, shows the result with its size or the reason of a failure, and lists
/// the options and presets that targets may use.
struct StartPage {
    let settings: ServiceSettings
    /// The fields of the form; see ``query(_:)``.
    let query: [String: String]
    /// The secret with which the page signs targets; nil if it may not sign. Only a page that a client of this machine
    /// opened with the secret has it.
    let token: String?
    /// Names of pictures in the folder of local sources, for a client of this machine.
    let names: [String]

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

    /// Whether a client of this machine sent the request itself. A name other than that of the machine can belong to a
    /// page elsewhere whose name was changed to this address, and the fields of proxies show that a proxy sent it.
    static func isLocal(_ request: ServiceRequest) -> Bool {
        guard let client = request.client, client.hasPrefix("127.") || client == "::1" else { return false }
        guard ["Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"].allSatisfy({ request.headers[$0] == nil }) else {
            return false
        }
        var host = (request.headers["Host"] ?? "")[...]
        if let colon = host.lastIndex(of: ":"), host.last != "]" { host = host[..<colon] }
        return host == "localhost" || host == "[::1]" || host.hasPrefix("127.")
    }

    /// The `Content-Security-Policy` of the page. Only the script of the page runs, and it loads only from the service.
    static let contentPolicy =
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-\(StartPageScript.hash)'; "
        + "img-src 'self' blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    private var configuration: ServiceConfiguration { settings.configuration }
    private var canSign: Bool { configuration.requiresSignature && token != nil }

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>webimage: try a picture</title>
        <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
        <style>\(Self.style)</style></head><body>
        <h1>webimage</h1>
        <p>Pictures by URL, at a size, in the format that the client accepts.</p>
        \(trial)
        \(folder)
        <h2>Targets</h2>
        <pre>\(grammar)</pre>
        \(options)
        <script>\(StartPageScript.text)</script>
        </body></html>

        """
    }

    // MARK: The form and its result

    private var trial: String {
        guard !configuration.requiresSignature || canSign else {
            return """
                <p>Targets are signed here. Make them with <code>webimage sign</code>, or open this page on the machine of
                the service with the address that <code>webimage serve</code> prints when it starts.</p>
                """
        }
        let source = query["source"] ?? "", chosen = query["options"] ?? Self.firstOptions(configuration)
        var text = """
            <form method="get" action="\(Self.escaped(configuration.pathPrefix))/">
            \(token.map { "<input type=\"hidden\" name=\"token\" value=\"\(Self.escaped($0))\">" } ?? "")
            <label>Source<input name="source" type="text" value="\(Self.escaped(source))"
            placeholder="https://example.com/photo.jpg" autocomplete="off" spellcheck="false" required></label>
            <label>\(configuration.onlyPresets ? "Presets" : "Options")<input name="options" type="text"
            value="\(Self.escaped(chosen))" autocomplete="off" spellcheck="false"></label>
            <button type="submit">Show</button>\(canSign ? " <small>The target is signed with the first key.</small>" : "")
            </form>
            """
        guard !source.isEmpty, let target = target(source, options: chosen) else { return text }
        let escaped = Self.escaped(target)
        text += """

            <figure data-target="\(escaped)">
            <p class="target"><a href="\(escaped)"><code>\(escaped)</code></a>
            <button type="button" class="copy" hidden>Copy address</button></p>
            <p class="facts" role="status"></p>
            <noscript><img src="\(escaped)" alt="The result"></noscript>
            </figure>
            """
        return text
    }

    private static func firstOptions(_ configuration: ServiceConfiguration) -> String {
        guard configuration.onlyPresets else { return "rs:fit:480:480" }
        let names = configuration.presets.map { $0.prefix { $0 != "=" } }
        return names.first { $0 != PresetTable.defaultName }.map(String.init) ?? ""
    }

    /// Returns the target with which the page shows a source; nil if it cannot be written.
    func target(_ source: String, options: String) -> String? {
        guard !configuration.requiresSignature || canSign else { return nil }
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove(charactersIn: "@?%#")
        guard let escapedSource = source.addingPercentEncoding(withAllowedCharacters: allowed),
            let escapedOptions = options.addingPercentEncoding(withAllowedCharacters: allowed)
        else { return nil }
        let path = "/" + (escapedOptions.isEmpty ? "" : escapedOptions + "/") + "plain/" + escapedSource
        guard canSign else { return configuration.pathPrefix + "/_" + path }
        return (try? TargetSigner(configuration))?.target(for: path)
    }

    // MARK: The folder of local sources

    private var folder: String {
        guard !names.isEmpty else { return "" }
        let items = names.map { name in
            var query = URLComponents()
            query.queryItems = [URLQueryItem(name: "source", value: "local:///" + name)]
            if let token { query.queryItems?.append(URLQueryItem(name: "token", value: token)) }
            // '+' means a blank in the query of a form.
            let text = (query.percentEncodedQuery ?? "").replacingOccurrences(of: "+", with: "%2B")
            let small = configuration.onlyPresets ? nil : target("local:///" + name, options: "rs:fill:96:96")
            let picture = small.map {
                "<img src=\"\(Self.escaped($0))\" alt=\"\" width=\"96\" height=\"96\" loading=\"lazy\">"
            }
            return "<a href=\"\(Self.escaped(configuration.pathPrefix))/?\(Self.escaped(text))\">\(picture ?? "")"
                + "<span>\(Self.escaped(name))</span></a>"
        }
        return """
            <h2>Pictures of this machine</h2>
            <div class="folder">\(items.joined(separator: "\n"))</div>
            """
    }

    // MARK: The grammar

    private var grammar: String {
        let options = configuration.onlyPresets ? "PRESETS" : "OPTIONS"
        return """
            /SIGNATURE/\(options)/plain/SOURCE@FORMAT
            /SIGNATURE/\(options)/BASE64.FORMAT
            /info/SIGNATURE/plain/SOURCE
            """
    }

    private var options: String {
        let presets = presetRows
        guard !configuration.onlyPresets else {
            return "<p>A target names presets, separated by colons.</p>\n" + presets
        }
        let rows = OptionTable.rows.filter { row in
            row.arguments != nil && (configuration.allowsSecurityOptions || !OptionTable.isLimit(row.names[0][...]))
        }
        // The configuration may allow an option by one of its names only.
        let allowed = Set(configuration.allowedOptions)
        let lines = rows.compactMap { row -> String? in
            let names = allowed.isEmpty ? row.names : row.names.filter(allowed.contains)
            guard let first = names.first else { return nil }
            let shortest = names.min { $0.utf8.count < $1.utf8.count } ?? first
            return "<tr><td><button type=\"button\" class=\"option\" value=\"\(shortest):\" disabled>\(first)</button>"
                + "<td><code>\(names.dropFirst().joined(separator: " "))</code><td><code>\(row.arguments ?? "")</code></tr>"
        }
        return """
            <p>Options are <code>name:argument:argument</code>, separated by slashes. Every part but the signature and the
            source may be left out.\(configuration.requiresSignature ? "" : " Without keys the signature is any word.")</p>
            \(presets)
            <table><tr><th>Option<th>Aliases<th>Arguments</tr>
            \(lines.joined(separator: "\n"))
            </table>
            """
    }

    private var presetRows: String {
        let allowed = configuration.allowedOptions
        guard !configuration.presets.isEmpty,
            configuration.onlyPresets || allowed.isEmpty
                || allowed.contains(where: { PresetTable.names.contains($0[...]) })
        else { return "" }
        let option = configuration.onlyPresets ? "" : allowed.isEmpty || allowed.contains("pr") ? "pr:" : "preset:"
        let lines = configuration.presets.map { definition in
            let parts = definition.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.escaped(String(parts[0]))
            return
                "<tr><td><button type=\"button\" class=\"option\" value=\"\(option)\(name)\" disabled>\(name)</button>"
                + "<td><code>\(Self.escaped(parts.count == 2 ? String(parts[1]) : ""))</code></tr>"
        }
        return """
            <table><tr><th>Preset<th>Its options</tr>
            \(lines.joined(separator: "\n"))
            </table>
            """
    }

    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }

    private static let style = """
        :root{color-scheme:light dark;--soft:#f3f3f3;--line:#ccc;--link:#05c}
        body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
        a{color:var(--link)}label{display:block;margin:.5rem 0}
        input{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.3rem;border:1px solid var(--line);
        border-radius:4px;background:transparent;color:inherit}
        button{font:inherit;padding:.2rem .8rem}pre,code{background:var(--soft);overflow-wrap:anywhere}
        pre{padding:1rem;overflow:auto}figure{margin:1rem 0}img{max-width:100%;height:auto}
        figure img,.folder img{background:repeating-conic-gradient(#ddd 0 25%,#fff 0 50%) 0/16px 16px}
        .target{display:flex;gap:1rem;align-items:start;flex-wrap:wrap}.target a{flex:1 1 20rem;word-break:break-all}
        .facts{font-variant-numeric:tabular-nums}.failure{border-left:4px solid #c33;padding:.5rem 1rem;background:var(--soft)}
        .folder{display:grid;grid-template-columns:repeat(auto-fill,minmax(7rem,1fr));gap:1rem}
        .folder a{display:block;text-align:center;text-decoration:none;overflow-wrap:anywhere}
        .folder span{display:block;font-size:.85rem}
        table{border-collapse:collapse;display:block;overflow-x:auto;margin:1rem 0}
        td,th{text-align:left;padding:.15rem 1rem .15rem 0;vertical-align:top}
        td:first-child{white-space:nowrap}.option{border:0;background:none;color:inherit;padding:0}
        .option:enabled{color:var(--link);cursor:pointer;text-decoration:underline}
        @media(prefers-color-scheme:dark){:root{--soft:#333;--line:#666;--link:#8cf}body{color:#eee;background:#222}}
        """
}
