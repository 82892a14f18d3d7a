package import Foundation

/// Writes a document of pages with vector graphics.
package struct PDFBytes {
    package struct Page {
        package let content: String
        package let width: Int
        package let height: Int
        /// Further fields of the page's dictionary.
        package let fields: String

        package init(content: String, width: Int = 200, height: Int = 100, fields: String = "") {
            (self.content, self.width, self.height, self.fields) = (content, width, height, fields)
        }
    }

    package let pages: [Page]

    package init(pages: [Page]) { self.pages = pages }

    package var data: Data {
        var text = "%PDF-1.7\n"
        var places: [Int] = []
        func add(_ object: String) {
            places.append(text.utf8.count)
            text += "\(places.count) 0 obj\n\(object)\nendobj\n"
        }
        let kids = pages.indices.map { "\(3 + 2 * $0) 0 R" }.joined(separator: " ")
        add("<< /Type /Catalog /Pages 2 0 R >>")
        add("<< /Type /Pages /Kids [\(kids)] /Count \(pages.count) >>")
        for (index, page) in pages.enumerated() {
            add(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 \(page.width) \(page.height)] /Contents \(4 + 2 * index) 0 R "
                    + "\(page.fields) >>")
            add("<< /Length \(page.content.utf8.count) >>\nstream\n\(page.content)\nendstream")
        }
        let start = text.utf8.count
        text += "xref\n0 \(places.count + 1)\n0000000000 65535 f \n"
        for place in places {
            let digits = String(place)
            text += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
        }
        text += "trailer\n<< /Size \(places.count + 1) /Root 1 0 R >>\nstartxref\n\(start)\n%%EOF\n"
        return Data(text.utf8)
    }
}
