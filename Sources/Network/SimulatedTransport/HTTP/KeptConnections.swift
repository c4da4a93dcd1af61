import Transport

/// The connections that a host's client keeps for later requests.
///
/// It knows them by number, so that it keeps nothing alive.
struct KeptConnections {
    /// Where a connection leads to, as requests name it: a kept one is used although the name leads elsewhere by now.
    struct Origin: Hashable {
        var isSecure: Bool
        var name: String
        var port: Int
    }

    /// Connections to one origin that are kept at most.
    static let mostPerOrigin = 8

    private var idle: [Origin: [Int]] = [:]

    /// Whether there is room for one more.
    func hasRoom(_ origin: Origin) -> Bool { idle[origin, default: []].count < Self.mostPerOrigin }

    mutating func add(_ number: Int, _ origin: Origin) { idle[origin, default: []].append(number) }

    /// Takes out the connection that was used last, as the one that is most likely still good.
    mutating func take(_ origin: Origin) -> Int? {
        guard let number = idle[origin]?.popLast() else { return nil }
        if idle[origin]?.isEmpty == true { idle[origin] = nil }
        return number
    }

    mutating func remove(_ number: Int, _ origin: Origin) {
        idle[origin]?.removeAll { $0 == number }
        if idle[origin]?.isEmpty == true { idle[origin] = nil }
    }
}
