import Foundation
import WebImage

/// One photo of the browser.
struct Photo: Sendable {
    let url: URL

    var name: String { url.lastPathComponent.isEmpty ? url.host() ?? "photo" : url.lastPathComponent }

    /// Why a word of the command line names no photo.
    struct Problem: Error {
        let text: String
    }

    /// The photos of one word of the command line: a URL, a file, or the picture files in a folder, ordered by name.
    /// The pictures in its subfolders are not included.
    static func named(_ word: String) throws(Problem) -> [Photo] {
        guard let url = word.contains("://") ? URL(string: word) : URL(fileURLWithPath: word) else {
            throw Problem(text: "this is no URL")
        }
        guard url.isFileURL else { return [Photo(url: url)] }
        guard access(url.path, R_OK) == 0 else { throw Problem(text: String(cString: strerror(errno))) }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: url.path) else {
            return [Photo(url: url)]
        }
        let photos = names.sorted()
            .filter { ImageFormat(fileExtension: ($0 as NSString).pathExtension) != .undefined && !$0.hasPrefix(".") }
            .map { Photo(url: url.appendingPathComponent($0)) }
        guard !photos.isEmpty else { throw Problem(text: "this folder has no picture; subfolders are not searched") }
        return photos
    }
}

/// The parsed command line.
struct Arguments: Sendable {
    private(set) var photos: [Photo] = []
    /// The words that name no photo, each with the reason.
    private(set) var problems: [String] = []
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
                do throws(Photo.Problem) {
                    photos += try Photo.named(word)
                } catch {
                    problems.append("\(word): \(error.text)")
                }
            }
        }
        if let number = opened, !photos.indices.contains(number) { opened = nil }
    }
}
