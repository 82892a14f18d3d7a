import WebImageService

/// The help texts of the service commands.
enum ServiceUsage {
    static func of(_ command: String) -> String? {
        switch command {
        case "serve": serve
        case "sign": sign
        default: nil
        }
    }

    private static var serve: String {
        """
        usage: webimage serve [OPTIONS]

        Serves pictures by URL, in the requested size and a format that the client accepts. Without options: on
        http://127.0.0.1:8080/ for this machine only, with a page to try it out, cached in the user's cache folder.
        Settings are read from a file, from variables (WEBIMAGE_QUALITY for --quality) and from options; later ones win.
        Secrets are read only from files and from variables. SIGHUP reads the files again; --print-config marks the
        settings that need a restart. SIGTERM answers accepted requests and stops. Sockets from systemd replace listen
        addresses; the one named admin is for --admin. BYTES may end in K, M or G (powers of 1024).

          --config FILE          a file of lines NAME = VALUE, as --print-config shows
          --print-config         print the settings and exit
          --check-config         report the first error of the settings and exit; exit code 1 if there is one

        \(settings)

        Secrets, only in the file (for example 'key') or in a variable:

        \(secrets)

        examples:
          webimage serve
          webimage serve --root /srv/pictures --listen 127.0.0.1:8090
          webimage serve --config /etc/webimage/serve.conf --print-config
          curl -o small.webp 'http://127.0.0.1:8080/_/rs:fit:320:320/plain/local:///photo.jpg@webp'

        """
    }

    private static var secrets: String {
        ServiceConfiguration.settings.filter { ServiceConfiguration.isSecret($0.name) }.map { setting in
            line("\(setting.variable)=\(setting.value)", setting.help)
        }.joined(separator: "\n")
    }

    private static var settings: String {
        ServiceConfiguration.settings.filter { !ServiceConfiguration.isSecret($0.name) }.flatMap {
            setting -> [String] in
            guard setting.value == "yes|no" else {
                let standard = setting.standard.isEmpty ? "" : " (default \(setting.standard))"
                return [line("--\(setting.name) \(setting.value)", setting.help + standard)]
            }
            let mark = setting.standard == "yes" ? " (default)" : ""
            return [
                line("--\(setting.name)", setting.help + mark), line("--no-\(setting.name)", "not: " + setting.help),
            ]
        }.joined(separator: "\n")
    }

    private static func line(_ words: String, _ help: String) -> String {
        // A long name is on a line of its own, so that all texts begin in one column.
        words.count > 21
            ? "  " + words + "\n" + String(repeating: " ", count: 25) + help
            : "  " + words + String(repeating: " ", count: 23 - words.count) + help
    }

    private static let sign = """
        usage: webimage sign [OPTIONS] PATH|URL...

        Prints the signed target of each path (/w:300/plain/https://example.com/a.jpg), or of a source's URL with
        --options. The key and the salt are those of WEBIMAGE_KEY and WEBIMAGE_SALT, or of the configuration.

          --options TEXT         options before a source: w:300/h:200
          --expires SECONDS      the target expires after this time
          --base URL             print complete URLs with this prefix
          --thumbor              thumbor's grammar and its key (WEBIMAGE_THUMBOR_KEY)
          --verify               the operands are targets: check their signatures; exit code 2 if one is wrong
          --config FILE          the configuration of the service

        examples:
          webimage sign /rs:fit:320:320/plain/local:///photo.jpg
          webimage sign --options w:300/h:200 --base https://images.example.org https://example.org/a.jpg

        """
}
