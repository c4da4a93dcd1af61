public import Simulation

extension Trace {
    /// The steps that led to one step: what made it ready, what made that ready, and so on, and what ran before on the
    /// same tasks and on the same actors.
    ///
    /// - Parameter number: The number of the step, from 1.
    /// - Returns: Numbers of steps, ascending, the step itself last.
    public func causes(of number: Int) -> [Int] {
        guard steps.indices.contains(number - 1) else { return [] }
        var previousOfTask: [Int] = Array(repeating: 0, count: number + 1)
        var previousOnActor = previousOfTask
        var lastOfTask: [Int: Int] = [:], lastOnActor: [[Int]: Int] = [:]
        for index in 1...number {
            let step = steps[index - 1]
            if step.task != 0 {
                previousOfTask[index] = lastOfTask[step.task] ?? 0
                lastOfTask[step.task] = index
            }
            // Each node has a main actor of its own.
            let actor = step.kind == .mainActor ? [0, step.node] : step.actor > 0 ? [step.actor] : []
            guard !actor.isEmpty else { continue }
            previousOnActor[index] = lastOnActor[actor] ?? 0
            lastOnActor[actor] = index
        }
        var found: Set<Int> = []
        var open = [number]
        while let next = open.popLast() {
            guard next > 0, next <= number, found.insert(next).inserted else { continue }
            open.append(steps[next - 1].cause)
            open.append(previousOfTask[next])
            open.append(previousOnActor[next])
        }
        return found.sorted()
    }
}
