/// What `--help` prints.
enum Usage {
    static let general = """
        webimage loads, inspects and converts pictures through the same pipeline as the library.

        usage: webimage COMMAND [OPTIONS] ...

          load URL...            load pictures through the caches and say where each came from
          info PATH|URL...       say what pictures hold, from their headers
          convert IN OUT         write a picture in another format or size
          frames IN DIR          write every frame as raw RGBA
          formats                say what this build reads, animates and writes
          show URL...            show pictures in a window
          cache stats|clear|verify

          --help, --version      also 'webimage COMMAND --help'

        exit codes: 0 ok, 1 usage, 2 some input failed, 3 a limit fired, 130 interrupted
        environment: WEBIMAGE_LOG=debug|info|warning|error writes what happens to standard error

        """

    private static let limits = """
          --max-pixels N         pixels a frame may have (default 100000000)
          --max-bytes N          bytes a file may have (default 100000000)
          --no-limits            no limit at all; only for files you made yourself

        """

    static func of(_ command: String) -> String { texts[command] ?? general }

    private static let texts: [String: String] = [
        "load": """
        usage: webimage load [OPTIONS] URL...

        Loads each picture and prints a line: origin (network, file, disk, memory), size in pixels, bytes, milliseconds.
        A path without a scheme means a file.

          --size WxH             decode to fit this box
          --out DIR              also write the pictures into this folder
          --cache DIR|none       where the disk cache lives (default: the user's cache folder)
          --json                 one JSON object a line

        """ + limits,
        "info": """
        usage: webimage info [OPTIONS] PATH|URL...

        Prints what each picture's header says; no pixel is decoded. One JSON object a line, or aligned words on a
        terminal. Delays and loop counts are reported as stored.

          --json                 JSON on a terminal as well

        """ + limits,
        "convert": """
        usage: webimage convert [OPTIONS] IN OUT

        OUT's extension decides the format: jpg, png, gif, webp, avif, heic, jxl, tiff, bmp ('webimage formats' says which
        this build writes), or rgba for raw rows of straight RGBA, 8 bits each.
        An animation stays one in png, gif, webp and avif, pages in tiff; other formats get its first frame.
        A lossless file converts to PNG and WebP without loss, its colour profile kept.

          --size WxH             fit into this box
          --quality Q            0 to 100, for lossy formats (default 85); asks for lossy WebP
          --frame N              this frame alone, from 0
          --color srgb|as-is     convert colours to sRGB, or keep the stored values and the profile
                                 (default: as-is for rgba and lossless to lossless, else srgb)

        Steps, done in the order given, each as often as it is given, to every frame; lengths in pixels:

          --resize WxH[,MODE]    to exactly this size; MODE is fill (stretched, the default), aspectFit (whole, with bars)
                                 or aspectFill (covering, cut off)
          --crop WxH+X+Y         this part, from the top left
          --rotate DEGREES[,cut] counter-clockwise; the picture grows unless its corners are to be cut off
          --flip WAY             horizontal, vertical or both
          --round R[,W,COLOR]    round corners of radius R, with a border W wide
          --blur R               blur with a deviation of R
          --tint COLOR[,MODE]    fill the picture's shape, or mix by a blend mode such as multiply or screen
          --filter NAME[=N,...]  invert, sepia=AMOUNT, monochrome=COLOR, exposure=STOPS, contrast=N, saturation=N,
                                 vignette=N, sharpen=N, pixellate=SIDE, matrix=9 or 12 numbers, convolution=numbers

        COLOR is #rrggbb or #aarrggbb.

        """ + limits,
        "frames": """
        usage: webimage frames [OPTIONS] IN DIR

        Writes frame-0000.rgba ... (straight RGBA, 8 bits each, whole canvas) and frames.json into DIR. Delays and loop
        counts are reported as stored.

          --color srgb|as-is     convert colours to sRGB, or keep the stored values (default as-is)

        """ + limits,
        "formats": """
        usage: webimage formats [--json]

        Prints a line for each format: whether this build reads, animates and writes it, and the library behind it.

          --json                 one JSON object a line

        """,
        "show": """
        usage: webimage show URL...

        Shows the pictures in a window, by way of webimage-gallery.

        """,
        "cache": """
        usage: webimage cache (stats|clear|verify) [--cache DIR]

          stats                  entries and bytes
          clear                  remove everything
          verify                 read every entry, remove what is damaged; exit code 2 when anything was

          --cache DIR            where the disk cache lives (default: the user's cache folder)

        """,
    ]
}
