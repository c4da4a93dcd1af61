public import Foundation
public import Simulation

/// A trace in the Trace Event Format, which Perfetto (ui.perfetto.dev), Chrome and Speedscope read.
///
/// Nodes are processes and tasks are threads; a task's life is a slice, its steps are instants in it, and flows lead
/// from cause to effect. Times are virtual, in microseconds with three decimals, as the format has them
/// (Trace Event Format, Google, 2016).
public struct PerfettoTrace: Sendable {
    private let trace: Trace

    /// Takes a trace.
    public init(_ trace: Trace) { self.trace = trace }

    /// The file, in UTF-8.
    ///
    /// - Throws: An `EncodingError`, if a text of the trace cannot be encoded.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(File(traceEvents: names + lives + steps + flows + events))
    }

    private struct File: Encodable {
        var traceEvents: [Entry]
        var displayTimeUnit = "ns"
    }

    /// One entry; the one-letter names are the format's.
    private struct Entry: Encodable {
        var name: String
        var ph: String
        var pid: Int
        var tid = 0
        var ts: Double?
        var dur: Double?
        var cat: String?
        var id: Int?
        var s: String?
        var bp: String?
        var args: [String: String]?
    }

    private var names: [Entry] {
        let nodes = trace.nodes.enumerated().map { index, name in
            Entry(
                name: "process_name",
                ph: "M",
                pid: index + 1,
                args: ["name": name.isEmpty ? "world" : name]
            )
        }
        let tasks = trace.tasks.map { task in
            Entry(
                name: "thread_name",
                ph: "M",
                pid: task.node + 1,
                tid: task.id,
                args: ["name": task.name.isEmpty ? "task \(task.id)" : "\(task.name) #\(task.id)"]
            )
        }
        return nodes + tasks
    }

    private var lives: [Entry] {
        var ends: [Int: Int64] = [:]
        for step in trace.steps where step.task != 0 { ends[step.task] = step.nanoseconds }
        return trace.tasks.compactMap { task in
            guard let end = ends[task.id] else { return nil }
            return Entry(
                name: task.name.isEmpty ? "task" : task.name,
                ph: "X",
                pid: task.node + 1,
                tid: task.id,
                ts: microseconds(task.nanoseconds),
                dur: microseconds(end - task.nanoseconds),
                cat: "task",
                args: ["spawned at": task.place, "spawned by": "\(task.parent)"]
            )
        }
    }

    private var steps: [Entry] {
        trace.steps.enumerated().map { index, step in
            Entry(
                name: "step \(index + 1)",
                ph: "i",
                pid: step.node + 1,
                tid: step.task,
                ts: microseconds(step.nanoseconds),
                cat: "step",
                s: "t",
                args: ["kind": "\(step.kind)", "scheduled": "\(step.choice + 1) of \(step.ready) runnable"]
            )
        }
    }

    private var flows: [Entry] {
        trace.steps.enumerated().flatMap { index, step -> [Entry] in
            guard step.cause > 0, trace.steps.indices.contains(step.cause - 1) else { return [] }
            let cause = trace.steps[step.cause - 1]
            var start = Entry(name: "cause", ph: "s", pid: cause.node + 1, tid: cause.task)
            start.ts = microseconds(cause.nanoseconds)
            start.cat = "cause"
            start.id = index + 1
            var end = Entry(name: "cause", ph: "f", pid: step.node + 1, tid: step.task)
            end.ts = microseconds(step.nanoseconds)
            end.cat = "cause"
            end.id = index + 1
            // Binds to what encloses it, not to the next slice.
            end.bp = "e"
            return [start, end]
        }
    }

    private var events: [Entry] {
        let nodes = Dictionary(trace.nodes.enumerated().map { ($1, $0) }) { first, _ in first }
        return trace.events.map { event in
            Entry(
                name: "\(event.kind) \(event.detail)",
                ph: "i",
                pid: (nodes[event.node] ?? 0) + 1,
                ts: microseconds(event.nanoseconds),
                cat: event.kind,
                // Of the whole process, so that it is drawn over all of its tasks.
                s: "p"
            )
        }
    }

    private func microseconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1000 }
}
