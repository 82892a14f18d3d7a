/// The help texts. `Scripts/describe-command` generates the manual pages and shell completions from these texts. For
/// that, each option must be on a separate line of the form `  -l, --long VALUE  what it does`, with the text in column 25.
/// A list "one of a, b or c" names all values of an option. Each text ends with the commands of a section `examples:`.
enum Usage {
    static let general = """
        webimage loads, inspects and converts pictures through the same pipeline as the library.

        usage: webimage COMMAND [OPTIONS] ...

          load URL...            load pictures through the caches and print the origin of each
          thumbnail PATH...      write small pictures of files and folders, with all cores
          info PATH|URL...       print facts about pictures from their headers
          convert IN... OUT      write pictures in another format or size
          optimize PATH...       make files smaller without changing a pixel
          frames IN DIR          write every frame as raw RGBA
          formats                list the formats that this build reads, animates and writes
          show URL...            show pictures in a window
          cache stats|clear|verify|import|purge
                                 show, empty or check the disk cache
          serve                  serve pictures over HTTP: http://127.0.0.1:8080/
          sign PATH|URL...       make and check signed targets for 'serve'
          init gtk|server|tool NAME
                                 create a package that uses this library
          help COMMAND           print the help of a command, like 'webimage COMMAND --help'

          --help                 print this
          --version              print the version

        exit codes: 0 ok, 1 usage, 2 some input failed, 3 a limit was exceeded, 130 interrupted
        environment: WEBIMAGE_LOG=debug|info|warning|error logs to standard error

        examples:
          webimage info photo.jpg
          webimage convert photo.jpg photo.webp
          webimage load --size 320 --out small https://example.org/a.jpg photo.jpg
          webimage thumbnail --recursive --out thumbs photos

        """

    private static let limits = """

          --max-pixels N         maximum pixels per frame (default 100000000)
          --max-bytes N          maximum bytes per file; K, M and G stand for powers of 1024 (default 100000000)
          --no-limits            no limits; only for files that you made yourself

        """

    private static let sandbox = """
          --sandbox              decode in restricted processes, which can reach no file and no network; JPEG 2000,
                                 raw files, PDF, Lottie and videos always are

        """

    private static let quiet = """
          --quiet                print only errors

        """

    private static let existing = """
          --overwrite            replace files that exist; otherwise they are an error
          --skip-existing        keep files that exist and skip their pictures

        """

    private static let requests = """

        HTTP requests. Every user of the machine can read command lines; put secrets into a file (@FILE,
        @- for standard input) or into the environment (WEBIMAGE_HEADER, WEBIMAGE_COOKIE, WEBIMAGE_USER).

          -H, --header FIELD     a header field 'NAME: VALUE', or @FILE with such lines; may be given several times
          --cookie PAIRS         cookies 'a=1; b=2', or @FILE
          --user NAME:PASSWORD   the user of HTTP's basic authentication, or @FILE
          --referer URL          the value of the Referer field

        """

    private static let lists = """
          -r, --recursive        include every picture in a folder and its subfolders, ordered by path
          -i, --input FILE       read URLs and paths from a file, one per line, '-' for standard input; also @FILE;
                                 or separated by bytes 0, as 'find -print0' prints them

        """

    /// The note about file names, for commands that read local files and lists of them.
    private static let names = """

        A word is a URL if it begins with SCHEME://, data: or file:/, otherwise the path of a file. Write -- before names
        that begin with -, and ./ before names that begin with @. Names with quotes or control characters are printed as
        $'...'; JSON has them unchanged, and names that are not UTF-8 also as pathBase64, urlBase64 or fileBase64.

        """

    /// The note about file names, for commands that read local files and no lists.
    private static let namesWithoutLists = """

        A word is a URL if it begins with SCHEME://, data: or file:/, otherwise the path of a file. Write -- before names
        that begin with -. Names with quotes or control characters are printed as $'...'.

        """

    private static func examples(_ lines: String...) -> String {
        "\nexamples:\n" + lines.map { "  \($0)\n" }.joined()
    }

    private static let size = """

          -s, --size SIZE        fit into a box: 800x600, 320 (a square), 320x, x240, or 50% of the picture's own size;
                                 a smaller picture stays as it is

        """

    static func of(_ command: String) -> String { texts[command] ?? ServiceUsage.of(command) ?? general }

    private static let texts: [String: String] = [
        "load": """
        usage: webimage load [OPTIONS] URL...

        Loads each picture and prints a line: origin (network, file, disk, memory, stdin), size in pixels, bytes,
        milliseconds, the picture, and what was written. A path without a scheme means a file, '-' standard input. Local
        files are copied into the disk cache only if --cache names its folder.

        """ + size + """
              -o, --out WHERE        also write the pictures: into a folder, or by a template ('small/%s.webp'), whose
                                     extension is the format; '-' is standard output

            """ + existing + """
                  -q, --quality Q        0 to 100, for lossy formats that are written (default 85); asks for lossy WebP
                  --quality-target AIM   ssim2=SCORE, 1 to 99: the quality at which a lossy still has this score of SSIMULACRA 2
                  --effort N             1 to 9: the time for a small PNG (default 5); a PNG is then written again
                  --hdr keep|apply|drop  a high dynamic range: keep it in the form of the input (default for a gain map in
                                         JPEG), apply the gain map and write PQ (png, avif, jxl), or drop it
                  --ordered              print the lines in the order of the operands
                  --cache DIR|none       the folder of the disk cache (default: the user's cache folder)
                  --tier URL             a cache of several machines, valkey://HOST or s3://BUCKET, asked before the
                                         network; repeatable. Its password is in WEBIMAGE_TIER_PASSWORD
                  --s3-source URL        the address of a bucket of s3://BUCKET/NAME[?versionId=...], such as
                                         s3://BUCKET?endpoint=https://HOST&access=public; repeatable. Other buckets
                                         have the address and the access key of the AWS_ variables
                  --link-preview         the URL of a web page loads the picture that the page names for previews of links
                                         (Open Graph, Twitter, JSON-LD, icons); the line has the page's title
                  --json                 one JSON object per line

                """ + quiet + lists + """

                A picture that fits and keeps its format is written unchanged, an animation with all frames. Any other picture
                is encoded again: PNG, BMP and TIFF without loss; GIF in 256 colours; WebP without loss from a lossless file,
                unless --quality is given; JPEG, AVIF, HEIC, JPEG XL and other WebP with loss at --quality.

                Fields of a template: %s name without extension, %e extension, %d folder below one that was given with -r,
                %n number, %%. Pictures with equal names are numbered in the order given: p.jpg, p-2.jpg. An extension that does
                not match the loaded format is kept and followed by the right one: p.jpg.webp.

                """ + names + limits + sandbox + requests
            + examples(
                "webimage load https://example.org/a.jpg b.png",
                "webimage load --out pictures @urls.txt",
                "webimage load --size 50% --out 'small/%s.webp' *.jpg",
                "webimage load --recursive --size 320 --out small --skip-existing photos",
                "curl -s https://example.org/a.jpg | webimage load -s 320 -o - - > small.jpg"),
        "thumbnail": """
        usage: webimage thumbnail [OPTIONS] PATH|URL...

        Writes a small still picture of each file, of an animation its first frame, with all cores. Each file is written
        whole or not at all. A folder requires --recursive.

        """ + size + """
                                     (default 256x256); with --freedesktop one of normal, large, x-large or xx-large, or
                                     several of them with commas between (default normal,large)
              -o, --out WHERE        into a folder, or by a template ('small/%s.webp'), whose extension is the format

            """ + existing + """
                  -f, --format FORMAT    for output names without an extension, one of jpg, png, gif, webp, avif, heic, jxl, tiff,
                                         bmp or ico, as far as 'webimage formats' writes it
                  -q, --quality Q        0 to 100, for lossy formats (default 85)
                  --quality-target AIM   ssim2=SCORE, 1 to 99: the quality at which a lossy still has this score of SSIMULACRA 2
                  --effort N             1 to 9: the time for a small PNG (default 5)
                  --time SECONDS         of a video: the frame at this time instead of the first that is not black
                  --metadata keep|drop   EXIF and XMP in JPEG, PNG, WebP and AVIF (default drop)
                  --hdr keep|apply|drop  a high dynamic range: keep it in the form of the input (default for a gain map in
                                         JPEG), apply the gain map and write PQ (png, avif, jxl), or drop it
                  --color srgb|as-is     convert colours to sRGB (default), or keep the stored values with their profile
                  --freedesktop          write into the desktop's thumbnail cache, which file managers use
                  --json                 one JSON object per line

                """ + quiet + lists + names + limits + sandbox + requests
            + examples(
                "webimage thumbnail --size 256 --out thumbs *.jpg",
                "webimage thumbnail --recursive --out 'thumbs/%d/%s.webp' photos",
                "find photos -name '*.jpg' -print0 | webimage thumbnail --input - --out thumbs --quiet",
                "webimage thumbnail --recursive --freedesktop photos"),
        "info": """
        usage: webimage info [OPTIONS] PATH|URL...

        Prints facts from each picture's header without decoding pixels. One JSON object per line, or aligned words on a
        terminal. Delays and loop counts are reported as stored. '-' is standard input.

          --json                 JSON on a terminal as well

        """ + lists + names + limits + sandbox + requests
            + examples(
                "webimage info photo.jpg",
                "webimage info --json --recursive photos | jq -r .path",
                "curl -s https://example.org/a.jpg | webimage info -"),
        "convert": """
        usage: webimage convert [OPTIONS] IN OUT
               webimage convert [OPTIONS] IN... FOLDER/

        Into a folder, each picture keeps its name and its format, or gets the format of --format. For lists and whole
        folders use 'webimage load --out'. OUT's extension decides the format: jpg, png, gif, webp, avif, heic, jxl,
        tiff, bmp, ico ('webimage formats' lists those that this build writes), or rgba for raw rows of straight RGBA, 8
        bits each. '-' is standard input or output. Prints a line for each written file.
        An animation stays one in png, gif, webp, avif and jxl, pages in tiff; other formats get its first frame.
        Of a video, an animation gets ten previews, and other formats the first frame that is not black.
        A jpg becomes a jxl with the same bytes inside, metadata too, and such a jxl the same jpg again, unless an
        option asks for other pixels, a quality or --metadata drop.
        A lossless file converts to PNG, TIFF and WebP without loss, its colours described by a profile; 16 bits only
        to PNG and TIFF.

        """ + size + """
            """ + existing + """
                  -f, --format FORMAT    the format, overriding OUT's extension (default for standard output and folders: the
                                         picture's own), one of jpg, png, gif, webp, avif, heic, jxl, tiff, bmp, ico or
                                         rgba
                  -q, --quality Q        0 to 100, for lossy formats (default 85); asks for lossy WebP
                  --quality-target AIM   ssim2=SCORE, 1 to 99: the quality at which a lossy still has this score of SSIMULACRA 2
                  --effort N             1 to 9: the time for a small PNG (default 5)
                  --frame N              only this frame, counted from 0
                  --time SECONDS         of a video: only the frame at this time
                  --color srgb|as-is     convert colours to sRGB, or keep the stored values with their profile
                                         (default: as-is for rgba and lossless to lossless, else srgb); gif and bmp
                                         hold no profile and are always sRGB
                  --metadata keep|drop   EXIF and XMP in JPEG, PNG, WebP and AVIF (default drop)
                  --hdr keep|apply|drop  a high dynamic range: keep it in the form of the input (default for a gain map in
                                         JPEG), apply the gain map and write PQ (png, avif, jxl), or drop it
                """ + "\n" + quiet + """

                Steps, applied to every frame in the order given; a step may be repeated; lengths in pixels:

                  --resize WxH[,MODE]    to exactly this size; MODE is fill (stretched, the default), aspectFit (whole, with bars)
                                         or aspectFill (covering, cut off)
                  --crop WxH+X+Y         this part, from the top left
                  --rotate DEGREES[,cut]
                                         counter-clockwise; the canvas grows, unless 'cut' cuts the corners off
                  --flip WAY             one of horizontal, vertical or both
                  --round R[,W,COLOR]    round corners of radius R, with a border W wide
                  --blur R               blur with a deviation of R
                  --tint COLOR[,MODE]    fill the picture's shape, or mix; MODE is normal, multiply, screen, overlay, darken,
                                         lighten, colorDodge, colorBurn, softLight, hardLight, difference, exclusion, hue,
                                         saturation, color, luminosity, clear, copy, sourceIn, sourceOut, sourceAtop,
                                         destinationOver, destinationIn, destinationOut, destinationAtop, xor, plusDarker or
                                         plusLighter
                  --filter NAME[=N,...]  one of invert, sepia=AMOUNT, monochrome=COLOR, exposure=STOPS, contrast=N, saturation=N,
                                         vignette=N, sharpen=N, pixellate=SIDE, matrix=NUMBERS (9 or 12) or convolution=NUMBERS

                COLOR is #rrggbb or #aarrggbb.

                """ + namesWithoutLists + limits + sandbox + requests
            + examples(
                "webimage convert photo.png photo.webp",
                "webimage convert --format webp --quality 80 *.jpg small/",
                "webimage convert --size 50% --overwrite photo.jpg photo.jpg",
                "webimage convert --crop 400x300+10+20 --filter sepia=0.8 in.jpg out.png",
                "webimage convert --format png - - < photo.webp > photo.png"),
        "optimize": """
        usage: webimage optimize [OPTIONS] PATH...

        Makes PNG, APNG, JPEG and GIF files smaller in their place. Pixels, frames, delays and colour profiles stay the same:
        each result is decoded and compared before it replaces the file. A file keeps its permissions, owner, times and
        extended attributes; links are followed, files with several hard links are left alone. Other files are kept as they
        are, and so is every file after an error. A folder requires --recursive.

          --effort N             1 to 9: the time for a small file (default 8)
          --metadata keep|drop   EXIF, XMP, texts and comments (default keep); what changes how a picture is shown always
                                 stays: colour profile, orientation, density
          --upright              turn JPEG by its EXIF orientation, where that needs no new compression
          --again                also files that were optimised before with this effort or more, and have not changed since,
                                 as their extended attribute user.webimage.optimized says
          --dry-run              print what would be written, and write nothing
          --jobs N               files at a time (default: the number of processors)
          --json                 one JSON object per line, at last the sums

        """ + "\n" + quiet + lists + names + limits
            + examples(
                "webimage optimize photo.jpg drawing.png",
                "webimage optimize --recursive --metadata drop public",
                "webimage optimize --dry-run --json -r public"),
        "frames": """
        usage: webimage frames [OPTIONS] IN DIR

        Writes frame-0000.rgba ... (straight RGBA, 8 bits each, whole canvas) and frames.json into DIR. Delays and loop
        counts are reported as stored. '-' is standard input.

          --color srgb|as-is     convert colours to sRGB, or keep the stored values (default as-is)
          --overwrite            replace the frames of another picture in DIR; otherwise they are an error

        """ + limits + sandbox + requests + examples("webimage frames animation.gif frames"),
        "formats": """
        usage: webimage formats [OPTIONS]

        Prints a line for each format: whether this build reads, animates and writes it, and the library behind it.

          --sandbox              print instead how decoder processes of each format are restricted on this machine
          --json                 one JSON object per line

        """
            + examples(
                "webimage formats", "webimage formats --sandbox",
                "webimage formats --json | jq 'select(.writes).format'"),
        "show": """
        usage: webimage show URL|PATH...

        Shows the pictures in a window with webimage-gallery.

        """ + examples("webimage show photo.jpg https://example.org/a.jpg"),
        "cache": """
        usage: webimage cache (stats|clear|verify|import|purge) [OPTIONS] [FOLDER...|SOURCE...]

          stats                  entries and bytes
          clear                  remove everything
          verify                 read every entry and remove damaged ones; exit code 2 if there were any
          import FOLDER...       move the files of a folder of SDWebImage, named by MD5 digests, into the cache
          purge SOURCE...        remove what 'webimage serve' stores of these URLs, in all sizes

          --cache DIR            the folder of the disk cache (default: the user's cache folder)
          --admin ADDRESS        purge: ask the service at its --admin address, with the token of WEBIMAGE_PURGE_TOKEN or
                                 of the configuration (default: its caches' folder; a running service sees it in 5 s)
          --target               purge: the operands are targets; exactly their results are removed, with tiers
                                 all results of their sources
          --tag                  purge: the operands are tags of targets (cache-tag) or of sources (Cache-Tag,
                                 Surrogate-Key)
          --prefix               purge: the operands are the beginnings of sources, such as https://example.org/a/
          --soft                 purge: with --tag or --prefix, results are used while they are made again
          --tier URL             stats, verify: a cache of several machines, valkey://HOST or s3://BUCKET; repeatable.
                                 purge: the tiers of the service
          --config FILE          purge: the configuration of the service
        """ + "\n" + quiet + limits
            + examples(
                "webimage cache stats", "webimage cache verify --cache pictures.cache",
                "webimage cache purge --config /etc/webimage/serve.conf https://example.org/a.jpg"),
        "init": """
        usage: webimage init (gtk|server|tool) NAME [--library PATH|URL]

        Makes the folder NAME with a Swift package that builds and runs: manifest, main, a test, and for gtk a desktop
        file and AppStream metadata, for server a systemd unit. NAME has lower-case letters, digits and hyphens, and
        may follow the path of a folder.

          gtk                    a program with a window that shows pictures
          server                 an HTTP service that scales pictures down
          tool                   a command that scales pictures down

          --library WHERE        this library: a clone's folder, or the URL of its repository
                                 (default: the clone in which this command was built; an installed command takes a
                                 clone swift-web-image in the current folder or beside it)
        """ + "\n" + quiet
            + examples("webimage init gtk my-viewer", "webimage init server ../my-service"),
    ]
}
