package import Simulation

/// Where a fault struck, or the failure came about.
package struct MarkedPlace: Sendable, Hashable {
    /// The fault; `nil` for the failure.
    package var fault: Firing?
    /// The number of the step, from 1; 0 before the first.
    package var step: Int
    /// The line.
    package var line: Race.Line
    /// Lines that have called its function, innermost first.
    package var callers: [Race.Line]
    /// Whether the fault happened between two steps of the program, of which the line is the first that notices.
    package var isNoticed: Bool
}

extension Trace {
    /// The faults without which the run would not have failed, if it was shrunk, and last the failure.
    ///
    /// That a thread pool is late is an order of steps, and no fault of the world.
    package var markedPlaces: [MarkedPlace] {
        marks.filter { $0.fault?.source != "stall" }.compactMap(place)
    }

    /// The files through which steps and faults go, without what runs the whole: what throws elsewhere is a helper or a library,
    /// and not what one looks for.
    private var ownFiles: Set<String> {
        let begun = steps.map(\.stack).filter { places[stacks[$0].first ?? 0].line > 0 }
        let struck = marks.filter { $0.fault != nil && begun.isEmpty }.map(\.stack)
        return Set(
            Set(begun + struck).flatMap { stack in
                let frames = stacks[stack]
                return (frames.count > 1 ? frames.dropLast() : frames[...]).map { places[$0].file }
            }
        )
    }

    func place(of mark: Mark) -> MarkedPlace? {
        var lines = stacks[mark.stack].map { Race.Line(places[$0]) }
        var (step, isNoticed) = (mark.step, false)
        if lines.first?.place.line ?? 0 == 0, mark.fault != nil,
            let noticed = firstPlace(ledToBy: mark.step - 1)
        {
            (lines, step, isNoticed) = (self.lines(of: noticed), noticed + 1, true)
        }
        let files = ownFiles
        guard
            let first = lines.firstIndex(where: { $0.place.line > 0 && files.contains($0.place.file) })
                ?? lines.firstIndex(where: { $0.place.line > 0 })
        else { return nil }
        let task = steps.indices.contains(step - 1) ? steps[step - 1].task : 0
        return MarkedPlace(
            fault: mark.fault,
            step: step,
            line: lines[first],
            callers: callers(
                in: [lines[first]] + lines[(first + 1)...].filter { files.contains($0.place.file) },
                of: task
            ),
            isNoticed: isNoticed
        )
    }

    /// The first step with a known place that one step leads to, by index.
    private func firstPlace(ledToBy index: Int) -> Int? {
        guard steps.indices.contains(index) else { return nil }
        return steps.indices[(index + 1)...].first { later in
            lines(of: later).first.map { $0.place.line > 0 } == true && leads(index, to: later)
        }
    }
}
