package import Foundation

/// Parses dates of HTTP header fields in all three formats of RFC 9110 §5.6.7, independent of the locale.
package enum HTTPDate {
    /// The date in seconds since 1970; nil if the text is not a date.
    package static func seconds(_ text: String?) -> TimeInterval? {
        guard let text else { return nil }
        let words = text.split { " ,-:".contains($0) }.map(String.init)
        // The three formats are `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6
        // 08:49:37 1994`.
        guard words.count >= 7 else { return nil }
        let isAsctime = Int(words[1]) == nil
        let order = isAsctime ? [2, 1, 6, 3, 4, 5] : [1, 2, 3, 4, 5, 6]
        guard let day = Int(words[order[0]]), let month = months.firstIndex(of: words[order[1]].lowercased()),
            var year = Int(words[order[2]]), let hour = Int(words[order[3]]), let minute = Int(words[order[4]]),
            let second = Int(words[order[5]]), (1...31).contains(day), (0...9999).contains(year),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        if words[order[2]].count == 2 { year += year < 70 ? 2000 : 1900 }
        return TimeInterval(days(year, month + 1, day) * 86400 + hour * 3600 + minute * 60 + second)
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// The number of days from 1970-01-01 to a Gregorian date. In the computation a year begins in March, so that the
    /// leap day is the last day of a year.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
