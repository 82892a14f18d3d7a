import Foundation

/// Finds the character set of a page as browsers do (WHATWG HTML, "determining the character encoding").
enum PageCharset: Equatable, Hashable {
    case utf8
    case utf16(isBigEndian: Bool)
    /// The name by which iconv(3) knows the set.
    case other(String)

    /// - Parameter declared: The `charset` of the response's media type.
    init(of bytes: Data, declared: String?) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            self = .utf8
        } else if bytes.starts(with: [0xFE, 0xFF]) {
            self = .utf16(isBigEndian: true)
        } else if bytes.starts(with: [0xFF, 0xFE]) {
            self = .utf16(isBigEndian: false)
        } else if let known = declared.flatMap(PageCharset.init(label:)) {
            self = known
        } else if let found = PageCharset(prescan: bytes.prefix(Self.prescanBytes)) {
            self = found
        } else {
            self = Self.isUTF8(bytes) ? .utf8 : .other("CP1252")
        }
    }

    /// The bytes in which a page must name its set.
    private static let prescanBytes = 1024

    /// The set of a label (WHATWG Encoding). Nil for an unknown label.
    init?(label: String) {
        let label = label.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        guard label.utf8.count <= 32 else { return nil }
        switch label {
        case "utf-8", "utf8", "unicode-1-1-utf-8", "x-unicode20utf8": self = .utf8
        case "utf-16", "utf-16le", "unicode", "ucs-2", "iso-10646-ucs-2", "csunicode": self = .utf16(isBigEndian: false)
        case "utf-16be", "unicodefffe": self = .utf16(isBigEndian: true)
        default:
            guard let name = Self.names[label] else { return nil }
            self = .other(name)
        }
    }

    /// The set that the start of a page declares. A page that calls itself UTF-16 in ASCII letters is UTF-8.
    private init?(prescan bytes: Data) {
        var scan = PagePrescan(bytes)
        guard let label = scan.label(), let set = PageCharset(label: label) else { return nil }
        if case .utf16 = set { self = .utf8 } else { self = set }
    }

    /// Whether bytes are UTF-8, of which the last character may be cut.
    private static func isUTF8(_ bytes: Data) -> Bool {
        for cut in 0...min(3, bytes.count) {
            guard bytes.dropLast(cut).withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) == nil else {
                return true
            }
        }
        return false
    }

    /// The names of iconv(3) for the labels of the Encoding standard that pages use.
    private static let names: [String: String] = {
        var names: [String: String] = [:]
        for (name, labels) in labels {
            for label in labels.split(separator: " ") { names[String(label)] = name }
        }
        for number in 1251...1258 where number != 1252 { names["windows-\(number)"] = "CP\(number)" }
        for number in 1250...1258 {
            names["windows-\(number)"] = "CP\(number)"
            names["cp\(number)"] = "CP\(number)"
            names["x-cp\(number)"] = "CP\(number)"
        }
        for number in [2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16] {
            names["iso-8859-\(number)"] = "ISO-8859-\(number)"
            names["iso8859-\(number)"] = "ISO-8859-\(number)"
            names["iso_8859-\(number)"] = "ISO-8859-\(number)"
        }
        return names
    }()

    private static let labels = [
        "CP1252": "ascii us-ascii latin1 l1 iso-8859-1 iso8859-1 iso_8859-1 iso88591 ansi_x3.4-1968 x-user-defined",
        "CP1254": "iso-8859-9 iso8859-9 iso_8859-9 latin5 l5",
        "CP874": "windows-874 iso-8859-11 iso8859-11 tis-620 dos-874",
        "ISO-8859-2": "latin2 l2", "ISO-8859-8": "iso-8859-8-i iso-8859-8-e hebrew visual logical",
        "ISO-8859-7": "greek greek8", "ISO-8859-6": "arabic", "ISO-8859-5": "cyrillic",
        "KOI8-R": "koi8-r koi8 koi koi8_r cskoi8r", "KOI8-U": "koi8-u koi8-ru", "IBM866": "ibm866 cp866 866",
        "MACINTOSH": "macintosh mac x-mac-roman",
        "CP932": "shift_jis shift-jis sjis x-sjis ms_kanji windows-31j ms932 csshiftjis",
        "EUC-JP": "euc-jp x-euc-jp cseucpkdfmtjapanese", "ISO-2022-JP": "iso-2022-jp csiso2022jp",
        "GB18030": "gb18030 gbk gb2312 x-gbk gb_2312 gb_2312-80 chinese csgb2312 iso-ir-58",
        "BIG5-HKSCS": "big5 big5-hkscs cn-big5 x-x-big5 csbig5",
        "UHC": "euc-kr korean ks_c_5601-1987 ksc5601 ksc_5601 windows-949 cseuckr",
    ]

    /// All sets that need iconv(3), for a process that must load their tables before it is restricted.
    static let iconvNames = Set(names.values)
}
