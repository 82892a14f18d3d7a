import Foundation
import Testing
import WebImage
import WebImageTestTraits

/// Checks that the documents show exactly the code that this target compiles.
@Suite(.timeLimit(minutes: 1)) struct DocumentationTests {
    @Test(arguments: Document.all) func everySwiftBlockIsACompiledSnippet(_ document: Document) throws {
        let compiled = Set(Snippets.all.values)
        let others = document.blocks("swift").filter { !compiled.contains(Snippets.evened($0)) }
        #expect(others == [])
    }

    @Test func everySnippetIsShown() {
        let shown = Set(Document.all.flatMap { $0.blocks("swift") }.map(Snippets.evened))
        #expect(Snippets.all.count >= 6)
        #expect(Snippets.all.filter { !shown.contains($0.value) }.keys.sorted() == [])
    }

    @Test func readmeShowsTheThreeRequiredSnippets() throws {
        let readme = try #require(Document.all.first { $0.path == "README.md" })
        let shown = Set(readme.blocks("swift").map(Snippets.evened))
        let missing = try ["gtk", "server", "callback"].filter { !shown.contains(try #require(Snippets.all[$0])) }
        #expect(missing == [])
    }

    /// README's picture is drawn again now and then, and the walkthroughs print its sizes.
    @Test func theFirstHourPrintsTheSizesOfTheReadmesPicture() throws {
        let page = try #require(Document.all.first { $0.path == "Documentation/FirstHour.md" }).text
        let file = try Data(contentsOf: Document.root.appendingPathComponent("Documentation/gallery.png"))
        let size = try ImageCodersManager.shared.imageInfo(of: file, limits: .default).pixelSize
        func height(_ width: Int, of size: PixelSize) -> Int {
            Int((Double(size.height) * Double(width) / Double(size.width)).rounded())
        }
        let half = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        func fitting(_ box: PixelSize) -> PixelSize {
            ImageScaling.size(of: size, in: box, preserveAspectRatio: true, allowsEnlarging: false)
        }
        let ported = fitting(PixelSize(width: 200, height: 200))
        let texts = [
            "\"width\":\(size.width),\"height\":\(size.height)", "(png 320x\(height(320, of: size)), ",
            "photo.png \(fitting(PixelSize(width: 320, height: 240)))\n",
            "\"width\":320,\"height\":\(height(320, of: size))",
            "128x\(height(128, of: size)) … photo.png", "128x\(height(128, of: half)) … half.webp",
            "CGSize(width: \(Double(ported.width)), height: \(Double(ported.height)))",
        ]
        #expect(texts.filter { !page.contains($0) } == [])
    }

    /// If a manifest in a document uses a product of this package, `Package.swift` declares this product. This test
    /// cannot compile the manifests.
    @Test(arguments: Document.all) func productsThatManifestsNameExist(_ document: Document) throws {
        let manifest = try String(contentsOf: Document.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        for product in document.text.matches(of: /\.product\(name: "([^"]+)", package: "swift-web-image"/) {
            #expect(manifest.contains(".library(name: \"\(product.1)\""), "\(product.1) is no product")
        }
    }

    @Test(arguments: Document.all) func linkedFilesExist(_ document: Document) {
        let folder = Document.root.appendingPathComponent(document.path).deletingLastPathComponent()
        for path in document.linkedPaths {
            let target = folder.appendingPathComponent(path).standardizedFileURL.path
            #expect(FileManager.default.fileExists(atPath: target), "\(path) does not exist")
        }
    }

    /// Each suite name in a document is the name of a suite or of a test target.
    @Test(arguments: Document.all) func suitesThatAreNamedExist(_ document: Document) {
        for name in Set(document.text.matches(of: /`(\w+Tests)`/).map { String($0.1) }) {
            let folder = Document.root.path + "/Tests/" + name
            #expect(
                Document.testSources.contains("struct \(name) ") || FileManager.default.fileExists(atPath: folder),
                "\(name)")
        }
    }

    @Test func everyRowOfTheAcceptanceListHasATagAndATest() throws {
        let list = try #require(Document.all.first { $0.path == "Documentation/AcceptanceList.md" })
        let rows = list.text.matches(of: /\n\| ([A-Z][0-9]+) \|/).map { $0.1.lowercased() }
        let declared = Document.testSources.matches(of: /@Tag package static var (\w+): Self/).map { String($0.1) }
        #expect(rows == declared)
        let uses = Document.testSources.matches(of: /\.tags\(([^)]*)\)/).map { String($0.1) }
        let used = Set(uses.flatMap { $0.matches(of: /\.(\w+)/).map { String($0.1) } })
        #expect(rows.filter { !used.contains($0) } == [])
    }

    /// The rows of the table of scripts: the name, and the column "Installs".
    private func scriptTable() throws -> [String: String] {
        let guide = try #require(Document.all.first { $0.path == "CONTRIBUTING.md" })
        let rows = guide.text.matches(of: /\n\| `([a-z-]+)` \| [^|]+ \| ([^|]+) \| [^|]+ \|/)
        return Dictionary(rows.map { (String($0.1), String($0.2)) }) { first, _ in first }
    }

    @Test func everyScriptIsInTheTable() throws {
        let folder = Document.root.path + "/Scripts/"
        // The folder of shared parts is none.
        let scripts = try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.isExecutableFile(atPath: folder + name)
                && FileManager.default.fileExists(atPath: folder + name, isDirectory: &isFolder) && !isFolder.boolValue
        }
        #expect(try scripts.sorted() == scriptTable().keys.sorted())
    }

    /// A script whose row says "no" has no command that installs. Lines that only print such a command do not count.
    @Test func onlyScriptsThatSaySoInstallPackages() throws {
        let table = try scriptTable()
        #expect(table.filter { $0.value == "yes" }.keys.sorted() == ["demo", "setup", "test"])
        for name in table.filter({ $0.value == "no" }).keys {
            let text = try String(contentsOfFile: Document.root.path + "/Scripts/" + name, encoding: .utf8)
            for line in text.split(separator: "\n") where !line.contains(/^\s*#|echo |fail |sys\.exit/) {
                #expect(!line.contains(/apt-get.*install|pip.*install|^\s*Scripts\/setup/), "\(name): \(line)")
            }
        }
    }

    @Test(arguments: Document.all) func scriptsThatAreNamedExist(_ document: Document) {
        for name in Set(document.text.matches(of: /Scripts\/([a-z][a-z-]*)/).map { String($0.1) }) {
            #expect(FileManager.default.isExecutableFile(atPath: Document.root.path + "/Scripts/" + name), "\(name)")
        }
    }
}
