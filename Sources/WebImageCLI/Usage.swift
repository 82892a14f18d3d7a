/// The help texts. `Scripts/describe-command` generates the manual pages and shell completions from them, so each
/// option must be on its own line: `  -l, --long VALUE  what it does`.
enum Usage {
    static let general = """
        webimage loads, inspects and converts pictures through the same pipeline as the library.

        usage: webimage COMMAND [OPTIONS] ...

          load URL...            load pictures through the caches and say where each came from
          thumbnail PATH...      write small pictures of files and folders, with all cores
          info PATH|URL...       say what pictures hold, from their headers
          convert IN OUT         write a picture in another format or size
          frames IN DIR          write every frame as raw RGBA
          formats                say what this build reads, animates and writes
          show URL...            show pictures in a window
          cache stats|clear|verify|purge
          serve                  serve pictures over HTTP: http://127.0.0.1:8080/
          sign PATH|URL...       make and check signed targets for 'serve'
          init gtk|server|tool NAME
                                 start a package that uses this library
          help COMMAND           say what a command does, as 'webimage COMMAND --help' does

          --help                 print this
          --version              print the version

        exit codes: 0 ok, 1 usage, 2 some input failed, 3 a limit fired, 130 interrupted
        environment: WEBIMAGE_LOG=debug|info|warning|error writes what happens to standard error

        """

    private static let limits = """

          --max-pixels N         pixels a frame may have (default 100000000)
          --max-bytes N          bytes a file may have (default 100000000)
          --no-limits            no limit at all; only for files you made yourself

        """

    private static let requests = """

        HTTP requests. Every user of the machine can read the words of a command line; put secrets into a file (@FILE,
        @- for standard input) or into the environment (WEBIMAGE_HEADER, WEBIMAGE_COOKIE, WEBIMAGE_USER).

          -H, --header FIELD     a header field 'NAME: VALUE', or @FILE with such lines; may be given several times
          --cookie PAIRS         cookies 'a=1; b=2', or @FILE
          --user NAME:PASSWORD   the user of HTTP's basic authentication, or @FILE
          --referer URL          the page that is said to show the picture

        """

    private static let lists = """
          -r, --recursive        of a folder: every picture in it and below, ordered by path
          -i, --input FILE       read URLs and paths from a file, one a line, '-' for standard input; also @FILE

        """

    private static let size = """

          -s, --size SIZE        fit into a box: 800x600, 320 (a square), 320x, x240, or 50% of the picture's own size;
                                 a smaller picture stays as it is

        """

    static func of(_ command: String) -> String { texts[command] ?? ServiceUsage.of(command) ?? general }

    private static let texts: [String: String] = [
        "load": """
        usage: webimage load [OPTIONS] URL...

        Loads each picture and prints a line: origin (network, file, disk, memory, stdin), size in pixels, bytes,
        milliseconds, the picture, and what was written. A path without a scheme means a file, '-' standard input.

        """ + size + """
              -o, --out WHERE        also write the pictures: into a folder, or by a template ('small/%s.webp'), whose
                                     extension is the format; '-' is standard output
              --overwrite            replace files that exist; otherwise they are an error
              --skip-existing        load nothing that has its file already
              -q, --quality Q        0 to 100, for lossy formats that are written (default 85)
              --ordered              print the lines in the order of the pictures, not as they come
              --cache DIR|none       where the disk cache is (default: the user's cache folder)
              --json                 one JSON object a line

            """ + lists + """

                A picture that fits and keeps its format is written as it came, an animation with all its frames. Fields of a
                template: %s name without extension, %e extension, %d folder below one that was given with -r, %n number, %%.
                Two pictures of one name are numbered in the order given: p.jpg, p-2.jpg. An extension that is wrong for what
                was loaded is kept and followed by the right one: p.jpg.webp.

                """ + limits + requests,
        "thumbnail": """
        usage: webimage thumbnail [OPTIONS] PATH|URL...

        Writes a small still picture of each file, of an animation its first frame, with all cores. Each file is written
        whole or not at all. A folder wants --recursive.

        """ + size + """
                                     (default 256x256); with --freedesktop: normal, large, x-large, xx-large, or several
                                     of them with commas between (default normal,large)
              -o, --out WHERE        into a folder, or by a template ('small/%s.webp'), whose extension is the format
              --overwrite            replace files that exist; otherwise they are an error
              --skip-existing        leave files that exist as they are
              -f, --format FORMAT    jpeg, png, webp, ... for names without an extension of their own
              -q, --quality Q        0 to 100, for lossy formats (default 85)
              --metadata keep|drop   EXIF and XMP, where the format is JPEG (default drop)
              --color srgb|as-is     convert colours to sRGB (default), or keep the stored values and the profile
              --freedesktop          write into the desktop's thumbnail cache, where file managers look
              --json                 one JSON object a line

            """ + lists + limits + requests,
        "info": """
        usage: webimage info [OPTIONS] PATH|URL...

        Prints what each picture's header says; no pixel is decoded. One JSON object a line, or aligned words on a
        terminal. Delays and loop counts are reported as stored. '-' is standard input.

          --json                 JSON on a terminal as well

        """ + lists + limits + requests,
        "convert": """
        usage: webimage convert [OPTIONS] IN OUT

        OUT's extension decides the format: jpg, png, gif, webp, avif, heic, jxl, tiff, bmp ('webimage formats' says which
        this build writes), or rgba for raw rows of straight RGBA, 8 bits each. '-' is standard input or output.
        An animation stays one in png, gif, webp and avif, pages in tiff; other formats get its first frame.
        A lossless file converts to PNG and WebP without loss, its colour profile kept.

        """ + size + """
              -f, --format FORMAT    the format, whatever OUT is called; of standard output the picture's own by default
              -q, --quality Q        0 to 100, for lossy formats (default 85); asks for lossy WebP
              --frame N              this frame alone, from 0
              --color srgb|as-is     convert colours to sRGB, or keep the stored values and the profile
                                     (default: as-is for rgba and lossless to lossless, else srgb)
              --metadata keep|drop   EXIF and XMP, where the format is JPEG (default drop)

            Steps, done in the order given, each as often as it is given, to every frame; lengths in pixels:

              --resize WxH[,MODE]    to exactly this size; MODE is fill (stretched, the default), aspectFit (whole, with bars)
                                     or aspectFill (covering, cut off)
              --crop WxH+X+Y         this part, from the top left
              --rotate DEGREES[,cut]
                                     counter-clockwise; the picture grows unless its corners are to be cut off
              --flip WAY             horizontal, vertical or both
              --round R[,W,COLOR]    round corners of radius R, with a border W wide
              --blur R               blur with a deviation of R
              --tint COLOR[,MODE]    fill the picture's shape, or mix by a blend mode such as multiply or screen
              --filter NAME[=N,...]  invert, sepia=AMOUNT, monochrome=COLOR, exposure=STOPS, contrast=N, saturation=N,
                                     vignette=N, sharpen=N, pixellate=SIDE, matrix=9 or 12 numbers, convolution=numbers

            COLOR is #rrggbb or #aarrggbb.

            """ + limits + requests,
        "frames": """
        usage: webimage frames [OPTIONS] IN DIR

        Writes frame-0000.rgba ... (straight RGBA, 8 bits each, whole canvas) and frames.json into DIR. Delays and loop
        counts are reported as stored. '-' is standard input.

          --color srgb|as-is     convert colours to sRGB, or keep the stored values (default as-is)

        """ + limits + requests,
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
               webimage cache purge [--config FILE] [--admin ADDRESS] SOURCE...

          stats                  entries and bytes
          clear                  remove everything
          verify                 read every entry, remove what is damaged; exit code 2 when anything was
          purge SOURCE...        remove what 'webimage serve' keeps of these URLs, in all sizes

          --cache DIR            where the disk cache is (default: the user's cache folder)
          --admin ADDRESS        purge: ask the service at its --admin address, with the token of WEBIMAGE_PURGE_TOKEN or
                                 of the configuration (default: its caches' folder; a running service sees it in 5 s)
          --target               purge: the operands are targets; exactly their results are removed
          --config FILE          purge: the configuration of the service

        """ + limits,
        "init": """
        usage: webimage init (gtk|server|tool) NAME [--library PATH|URL]

        Makes the folder NAME with a Swift package that builds and runs: manifest, main, a test, and for gtk a desktop
        file and AppStream metadata, for server a systemd unit. NAME has lower-case letters, digits and hyphens.

          gtk                    a program with a window that shows pictures
          server                 an HTTP service that makes pictures small
          tool                   a command that makes pictures small

          --library WHERE        this library: a clone's folder, or the URL of its repository
                                 (default ../swift-web-image)

        """,
    ]
}
