import Foundation

/// Divides one memory budget among all frame stores of the process.
package enum FrameBudget {
    /// The automatic budget: 10 % of RAM, at most 256 MB.
    package static var automatic: Int { min(Int(ProcessInfo.processInfo.physicalMemory / 10), 256 << 20) }

    /// Returns the share of each store in bytes. A store with a small need receives its full need. The
    /// other stores divide the remaining budget equally.
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
