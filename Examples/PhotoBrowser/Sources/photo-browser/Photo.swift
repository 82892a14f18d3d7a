import Foundation
import WebImage

/// One photo of the browser.
struct Photo: Sendable {
    let url: URL

    var name: String { url.lastPathComponent.isEmpty ? url.host() ?? "photo" : url.lastPathComponent }

    /// The photos of one word of the command line: a URL, a file, or the picture files in a folder, ordered by name.
    /// The pictures in its subfolders are not included.
    static func named(_ word: String) -> [Photo] {
        if word.contains("://") { return URL(string: word).map { [Photo(url: $0)] } ?? [] }
        let url = URL(fileURLWithPath: word)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: url.path) else {
            return [Photo(url: url)]
        }
        return names.sorted()
            .filter { ImageFormat(fileExtension: ($0 as NSString).pathExtension) != .undefined && !$0.hasPrefix(".") }
            .map { Photo(url: url.appendingPathComponent($0)) }
    }
}

/// The parsed command line.
struct Arguments: Sendable {
    private(set) var photos: [Photo] = []
    /// The words that name folders without a picture.
    private(set) var emptyFolders: [String] = []
    private(set) var isDark = false
    private(set) var isCheck = false
    /// The index of the photo that is shown large at the start.
    private(set) var opened: Int?

    init(_ words: some Sequence<String>) {
        var words = Array(words)[...]
        while let word = words.popFirst() {
            switch word {
            case "--dark": isDark = true
            case "--check": isCheck = true
            case "--open": opened = words.popFirst().flatMap { Int($0) }.map { $0 - 1 }
            default:
                let named = Photo.named(word)
                photos += named
                if named.isEmpty { emptyFolders.append(word) }
            }
        }
        if let number = opened, !photos.indices.contains(number) { opened = nil }
    }
}
