/// The faults that are still to come, in the order in which they were scripted.
struct FaultScript: Sendable {
    private var faults: [StorageFault] = []

    mutating func add(_ fault: StorageFault) { faults.append(fault) }

    mutating func removeAll() { faults = [] }

    /// What happens to a request: every delay that is due, and the first other effect.
    mutating func take(_ operation: StorageOperation?) -> [StorageFault.Effect] {
        var effects: [StorageFault.Effect] = []
        var isAnswered = false
        for index in faults.indices
        where faults[index].operation == nil || faults[index].operation == operation {
            if faults[index].skipping > 0 {
                faults[index].skipping -= 1
                continue
            }
            let isDelay = if case .delay = faults[index].effect { true } else { false }
            if !isDelay, isAnswered { continue }
            isAnswered = isAnswered || !isDelay
            faults[index].count -= 1
            effects.append(faults[index].effect)
        }
        faults.removeAll { $0.count <= 0 }
        return effects
    }
}
