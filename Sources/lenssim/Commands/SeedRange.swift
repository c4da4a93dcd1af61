import ArgumentParser

/// Seeds as one types them: `7` or `1...1000`.
struct SeedRange: ExpressibleByArgument {
    let seeds: ClosedRange<UInt64>

    init?(argument: String) {
        let parts = argument.replacing("...", with: " ").split(separator: " ").map { UInt64($0) }
        switch parts.count {
        case 1:
            guard let only = parts[0] else { return nil }
            seeds = only...only
        case 2:
            guard let first = parts[0], let last = parts[1], first <= last else { return nil }
            seeds = first...last
        default: return nil
        }
    }

    var defaultValueDescription: String {
        seeds.count == 1 ? "\(seeds.lowerBound)" : "\(seeds.lowerBound)...\(seeds.upperBound)"
    }
}
