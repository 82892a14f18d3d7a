import Foundation

/// Divides one amount of memory among all frame stores of the process.
package enum FrameBudget {
    /// 10 % of RAM, never more than 256 MB.
    package static var automatic: Int { min(Int(ProcessInfo.processInfo.physicalMemory / 10), 256 << 20) }

    /// What each store may hold, given what each could use: the small ones get all, the others equal parts of the rest.
    package static func allot(_ needs: [Int], of budget: Int) -> [Int] {
        var shares = [Int](repeating: 0, count: needs.count)
        var left = max(budget, 0)
        var waiting = needs.count
        for index in needs.indices.sorted(by: { needs[$0] < needs[$1] }) {
            shares[index] = min(max(needs[index], 0), left / waiting)
            left -= shares[index]
            waiting -= 1
        }
        return shares
    }
}
