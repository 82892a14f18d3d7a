import Foundation
import WebImageTesting

@testable import WebImageService

extension SeededRandom {
    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &self)] }
}

extension SharedCacheModel.Fields {
    /// The fields of some origin's response, which it sends at the time `start`.
    init(_ random: inout SeededRandom, _ start: Int) {
        control = Self.control(&random)
        age = random.pick([[], [], [], ["0"], ["5"], ["100"], ["10, 400"], ["10", "400"], ["x"], ["-5"], [""]])
        if let shift = random.pick([nil, 0, -5, 5]) { date = Self.date(start + shift, &random) }
        if let shift = random.pick([nil, nil, 0, 30, 600]) { expires = Self.date(start + shift, &random) }
        vary = random.pick(
            [[], [], [], [], ["Accept-Encoding"], ["*"], ["accept-encoding", "*"], ["Cookie"]])
        pragma = random.pick([nil, nil, nil, "no-cache", "No-Cache, x"])
        cookie = random.pick([nil, nil, nil, nil, "a=b"])
    }

    /// A directive as some origin writes it.
    private static func directive(_ name: String, _ value: String?, _ random: inout SeededRandom) -> String {
        let name = random.pick([name, name, name, name.uppercased(), name.capitalized])
        guard let value else { return name }
        return "\(name)=" + random.pick([value, value, value, "\"\(value)\""])
    }

    private static func control(_ random: inout SeededRandom) -> [String] {
        let times = ["0", "1", "5", "30", "60", "600", "31536000", "99999999999999999999", "060"]
        var all: [String] = []
        for name in ["max-age", "s-maxage"] where Bool.random(using: &random) {
            let invalid = ["", "x", "-1", "1.5", "60 s"]
            all.append(directive(name, random.pick(times + times + [random.pick(invalid)]), &random))
        }
        for (name, value) in [
            ("no-cache", nil), ("no-cache", "Set-Cookie, X"), ("no-store", nil), ("private", nil), ("private", "X"),
            ("must-revalidate", nil), ("proxy-revalidate", nil), ("public", nil), ("immutable", nil),
            ("must-understand", nil), ("no-transform", nil), ("max-age", "7"),
        ] as [(String, String?)] where Int.random(in: 0..<12, using: &random) == 0 {
            all.append(value?.contains(",") == true ? "\(name)=\"\(value ?? "")\"" : directive(name, value, &random))
        }
        for name in ["stale-if-error", "stale-while-revalidate"] where Int.random(in: 0..<5, using: &random) == 0 {
            all.append(directive(name, random.pick(times), &random))
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            let unknown = [
                "community=\"UCI\"", "x=\"a, no-store, b\"", "y=\"\\\", private\"", "max-age-x=0", "no-store-x", "",
                "pre-check=0", "z=\"s-maxage=0\"",
            ]
            all.append(random.pick(unknown))
        }
        guard !all.isEmpty else { return [] }
        all.shuffle(using: &random)
        // One line, or one for each directive.
        if Int.random(in: 0..<4, using: &random) == 0 { return all }
        return [all.joined(separator: random.pick([",", ", ", " , "]))]
    }

    /// A date in the forms of RFC 9110 §5.6.7, or none.
    private static func date(_ seconds: Int, _ random: inout SeededRandom) -> SharedCacheModel.Date {
        let text = HTTPDateText.text(TimeInterval(seconds))
        let words = text.split(separator: " ").map(String.init)
        let asctime = "\(words[0].dropLast()) \(words[2]) \(words[1]) \(words[4]) \(words[3])"
        let day = ["Sun": "Sunday", "Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday"]
        let name = day[String(words[0].dropLast())] ?? "Friday"
        let long = "\(name), \(words[1])-\(words[2])-\(words[3].suffix(2)) \(words[4]) GMT"
        switch Int.random(in: 0..<14, using: &random) {
        case 0: return .init(text: asctime, seconds: seconds)
        case 1: return .init(text: long, seconds: seconds)
        case 2: return .init(text: text.lowercased(), seconds: seconds)
        case 3: return .init(text: text.replacingOccurrences(of: "GMT", with: "UTC"), seconds: seconds)
        case 4: return .init(text: text.replacingOccurrences(of: "GMT", with: "EST"), seconds: nil)
        case 5: return .init(text: text.replacingOccurrences(of: "GMT", with: "+0100"), seconds: nil)
        case 6: return .init(text: random.pick(["0", "-1", "never", "Thu, 99 Foo 2099 99:99:99 GMT"]), seconds: nil)
        default: return .init(text: text, seconds: seconds)
        }
    }
}
