extension Recipe: LosslessStringConvertible {
    /// The recipe as one line without characters that a shell minds, but for the spaces.
    public var description: String {
        var parts = ["seed=\(seed)"]
        if strategy != .random { parts.append("strategy=\(strategy.rawValue)") }
        if horizon > 0 { parts.append("horizon=\(horizon)") }
        if !stalls { parts.append("stalls=none") }
        if let timing { parts.append("timing=\(timing.rawValue)") }
        if let decisions {
            let taken = decisions.enumerated().filter { $0.element.index != 0 }
            parts.append(
                "decisions=" + taken.map { "\($0.offset):\($0.element.index)" }.joined(separator: ",")
            )
        }
        if let preemptions {
            parts.append("preemptions=" + preemptions.map(\.description).joined(separator: ","))
        }
        if let firings {
            parts.append(
                "faults="
                    + firings.map { "\(Escaping.escape($0.source)):\($0.decision)" }.joined(separator: ",")
            )
        }
        for (label, items) in omittedWork.sorted(by: { $0.key < $1.key }) where !items.isEmpty {
            parts.append("without.\(Escaping.escape(label))=" + items.map(String.init).joined(separator: ","))
        }
        switch cancellation {
        case nil: break
        case .drawn: parts.append("cancel=drawn")
        case .after(let task, let steps): parts.append("cancel=\(task):\(steps)")
        }
        if !branches.isEmpty {
            parts.append(
                "branches="
                    + branches.map { "\(Escaping.escape($0.point)):\($0.future)" }.joined(separator: ",")
            )
        }
        if let build { parts.append("build=\(build.rawValue)") }
        if let plan { parts.append("plan=\(Escaping.escape(plan))") }
        return parts.joined(separator: " ")
    }

    /// Reads what ``description`` writes; `nil` when it is anything else.
    public init?(_ text: String) {
        self.init(seed: 1)
        var hasSeed = false
        for part in text.split(separator: " ") {
            guard let equals = part.firstIndex(of: "=") else { return nil }
            let value = part[part.index(after: equals)...]
            guard read(key: part[..<equals], value) else { return nil }
            hasSeed = hasSeed || part[..<equals] == "seed"
        }
        if !hasSeed { return nil }
    }

    private mutating func read(key: Substring, _ value: Substring) -> Bool {
        let items = value.split(separator: ",")
        switch key {
        case "seed":
            guard let seed = UInt64(value) else { return false }
            self.seed = seed
        case "strategy":
            guard let strategy = Strategy(rawValue: String(value)) else { return false }
            self.strategy = strategy
        case "horizon":
            guard let horizon = Int(value), horizon >= 0 else { return false }
            self.horizon = horizon
        case "stalls":
            guard value == "none" || value == "drawn" else { return false }
            stalls = value == "drawn"
        case "timing":
            guard let timing = Simulation.Configuration.Timing(rawValue: String(value)) else { return false }
            self.timing = timing
        case "decisions":
            guard let decisions = Self.decisions(items) else { return false }
            self.decisions = decisions
        case "preemptions":
            let preemptions = items.compactMap { Preemption($0) }
            guard preemptions.count == items.count else { return false }
            self.preemptions = preemptions
        case "faults":
            let firings = items.compactMap { Self.named($0) }.map {
                Firing(source: $0.0, decision: Int(clamping: $0.1))
            }
            guard firings.count == items.count else { return false }
            self.firings = firings
        case "cancel":
            guard let point = Self.cancellation(value) else { return false }
            cancellation = point
        case "branches":
            branches = items.compactMap { Self.named($0) }.map { Branch(point: $0.0, future: $0.1) }
            return branches.count == items.count
        case "build":
            guard let build = Build(rawValue: String(value)) else { return false }
            self.build = build
        case "plan":
            guard let plan = Escaping.unescape(value) else { return false }
            self.plan = plan
        default:
            guard key.hasPrefix("without."), let label = Escaping.unescape(key.dropFirst(8)) else {
                return false
            }
            omittedWork[label] = items.compactMap { Int($0) }
            return omittedWork[label]?.count == items.count
        }
        return true
    }

    /// A longer list would be a mistake, or an attack on memory.
    private static let mostDecisions = 10_000_000

    private static func decisions(_ items: [Substring]) -> [Decision]? {
        var decisions: [Decision] = []
        for item in items {
            guard let (position, index) = pair(item), let position = Int(position),
                let index = UInt32(index),
                position >= decisions.count, position < mostDecisions
            else { return nil }
            decisions += Array(repeating: Decision(index: 0), count: position - decisions.count)
            decisions.append(Decision(index: index))
        }
        return decisions
    }

    private static func cancellation(_ value: Substring) -> CancellationPoint? {
        if value == "drawn" { return .drawn }
        guard let (task, steps) = pair(value), let task = TaskID(task), let steps = Int(steps) else {
            return nil
        }
        return .after(task: task, steps: steps)
    }

    private static func named(_ item: Substring) -> (String, UInt64)? {
        guard let (name, number) = pair(item), let name = Escaping.unescape(name), let number = UInt64(number)
        else {
            return nil
        }
        return (name, number)
    }

    private static func pair(_ item: Substring) -> (Substring, Substring)? {
        guard let colon = item.lastIndex(of: ":") else { return nil }
        return (item[..<colon], item[item.index(after: colon)...])
    }
}

/// Names as text without spaces or characters that mean something in a recipe or to a shell.
enum Escaping {
    static func escape(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."),
                UInt8(ascii: "/"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: " "): escaped += "+"
            default:
                let digits = String(byte, radix: 16)
                escaped += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return escaped
    }

    static func unescape(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2)
                guard digits.count == 2, let value = UInt8(Substring(digits), radix: 16) else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
