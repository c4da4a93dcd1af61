public import Simulation

extension Trace {
    /// The steps that led to one step: what made it ready, what made that ready, and so on, and what ran before on the
    /// same tasks.
    ///
    /// - Parameter number: The number of the step, from 1.
    /// - Returns: Numbers of steps, ascending, the step itself last.
    public func causes(of number: Int) -> [Int] {
        guard steps.indices.contains(number - 1) else { return [] }
        var previousOfTask: [Int] = Array(repeating: 0, count: number + 1)
        var lastOfTask: [Int: Int] = [:]
        for index in 1...number {
            let task = steps[index - 1].task
            guard task != 0 else { continue }
            previousOfTask[index] = lastOfTask[task] ?? 0
            lastOfTask[task] = index
        }
        var found: Set<Int> = []
        var open = [number]
        while let next = open.popLast() {
            guard next > 0, next <= number, found.insert(next).inserted else { continue }
            open.append(steps[next - 1].cause)
            open.append(previousOfTask[next])
        }
        return found.sorted()
    }
}
