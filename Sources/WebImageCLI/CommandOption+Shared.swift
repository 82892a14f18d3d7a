import WebImageCommandLine

/// Options that several commands have.
extension CommandOption {
    /// The options that set limits for each file. All commands that read pictures accept them.
    static let limits: [CommandOption] = [
        .value("max-pixels", "N", "maximum pixels per frame (default 100000000)"),
        .value("max-bytes", "N", "maximum bytes per file; K, M and G stand for powers of 1024 (default 100000000)"),
        .flag("no-limits", "no limits; only for files that you made yourself"),
    ]
    /// The options of commands that decode pictures.
    static let decoding: [CommandOption] = limits + [.sandbox]
    static let sandbox = CommandOption.flag(
        "sandbox",
        """
        decode in restricted processes, which can reach no file and no network; JPEG 2000,
        raw files, PDF, Lottie and videos always are
        """)
    /// The option that suppresses reports and progress. Errors are printed nevertheless.
    static let quiet = CommandOption.flag("quiet", "print only errors")
    /// The options for output files that already exist.
    static let existing: [CommandOption] = [
        .flag("overwrite", "replace files that exist; otherwise they are an error"),
        .flag("skip-existing", "keep files that exist and skip their pictures"),
    ]
    /// The options that add fields to HTTP requests. Commands that read pictures accept them.
    static let requests: [CommandOption] = [
        .value(
            "header", letter: "H", "FIELD",
            "a header field 'NAME: VALUE', or @FILE with such lines; may be given several times", takesFile: true),
        .value("cookie", "PAIRS", "cookies 'a=1; b=2', or @FILE", takesFile: true),
        .value("user", "NAME:PASSWORD", "the user of HTTP's basic authentication, or @FILE", takesFile: true),
        .value("referer", "URL", "the value of the Referer field"),
    ]
    /// The options that select input files. Commands that accept any number of pictures accept them.
    static let lists: [CommandOption] = [
        .flag("recursive", letter: "r", "include every picture in a folder and its subfolders, ordered by path"),
        .value(
            "input", letter: "i", "FILE",
            """
            read URLs and paths from a file, one per line, '-' for standard input; also @FILE;
            or separated by bytes 0, as 'find -print0' prints them
            """, takesFile: true),
    ]
    static let size = CommandOption.value(
        "size", letter: "s", "SIZE",
        """
        fit into a box: 800x600, 320 (a square), 320x, x240, or 50% of the picture's own size;
        a smaller picture stays as it is
        """)
    static let qualityTarget = CommandOption.value(
        "quality-target", "AIM",
        "ssim2=SCORE, 1 to 99: the quality at which a lossy still has this score of SSIMULACRA 2")
    static let range = CommandOption.value(
        "hdr", "keep|apply|drop",
        """
        a high dynamic range: keep it in the form of the input (default for a gain map in
        JPEG), apply the gain map and write PQ (png, avif, jxl), or drop it
        """)
    static let json = CommandOption.flag("json", "one JSON object per line")
}

/// Parts of the help that several commands have.
extension CommandText.Part {
    /// The note about file names, for commands that read local files and lists of them.
    static let names = CommandText.Part.text(
        """
        A word is a URL if it begins with SCHEME://, data: or file:/, otherwise the path of a file. Write -- before names
        that begin with -, and ./ before names that begin with @. Names with quotes or control characters are printed as
        $'...'; JSON has them unchanged, and names that are not UTF-8 also as pathBase64, urlBase64 or fileBase64.
        """)

    /// The note before the options of requests.
    static let requests = CommandText.Part.text(
        """
        HTTP requests. Every user of the machine can read command lines; put secrets into a file (@FILE,
        @- for standard input) or into the environment (WEBIMAGE_HEADER, WEBIMAGE_COOKIE, WEBIMAGE_USER).
        """)
}
