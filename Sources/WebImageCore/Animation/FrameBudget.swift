import Foundation

/// Divides one memory budget among all frame stores of the process.
package enum FrameBudget {
    /// The default budget in bytes. It is 10 % of the machine's memory, but at most 256 MiB.
    package static var automatic: Int { min(Int(ProcessInfo.processInfo.physicalMemory / 10), 256 << 20) }

    /// Returns the share of each store in bytes, in the order of `needs`. A store that needs less than an equal share
    /// receives all that it needs. The other stores receive equal parts of the remaining budget.
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
