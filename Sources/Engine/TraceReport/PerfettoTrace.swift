public import Foundation
public import Simulation

/// A trace in the Trace Event Format, which Perfetto (ui.perfetto.dev), Chrome and Speedscope read.
///
/// Nodes are processes and tasks are threads; a task's life is a slice, its steps are instants in it, and flows lead
/// from cause to effect. Times are virtual, in microseconds with three decimals, as the format has them
/// (Trace Event Format, Google, 2016); where virtual time hardly passes, each step takes one microsecond instead, so that
/// steps stand beside each other in their order.
public struct PerfettoTrace: Sendable {
    private let trace: Trace
    /// Whether steps stand in their order, and not at their time.
    let isInOrder: Bool

    /// Takes a trace.
    public init(_ trace: Trace) {
        self.trace = trace
        let instants = Set(trace.steps.map { $0.nanoseconds / 1000 }).count
        isInOrder = instants * 4 < trace.steps.count
    }

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
        var first: [Int: Int] = [:], last: [Int: Int] = [:]
        for (index, step) in trace.steps.enumerated() where step.task != 0 {
            first[step.task] = first[step.task] ?? index
            last[step.task] = index
        }
        return trace.tasks.compactMap { task in
            guard let start = first[task.id], let end = last[task.id] else { return nil }
            let begin = isInOrder ? moment(ofStep: start) : microseconds(task.nanoseconds)
            return Entry(
                name: task.name.isEmpty ? "task" : task.name,
                ph: "X",
                pid: task.node + 1,
                tid: task.id,
                ts: begin,
                dur: moment(ofStep: end) + (isInOrder ? 1 : 0) - begin,
                cat: "task",
                args: ["spawned at": task.place, "spawned by": "\(task.parent)"]
            )
        }
    }

    private var steps: [Entry] {
        trace.steps.enumerated().map { index, step in
            let place = trace.places.indices.contains(step.place) ? trace.places[step.place] : .none
            return Entry(
                // Without numbers, so that equal steps group.
                name: place.name.isEmpty ? "\(step.kind)" : place.name,
                ph: isInOrder ? "X" : "i",
                pid: step.node + 1,
                tid: step.task,
                ts: moment(ofStep: index),
                dur: isInOrder ? 1 : nil,
                cat: "step",
                s: isInOrder ? nil : "t",
                args: [
                    "step": "\(index + 1)", "kind": "\(step.kind)", "function": place.function,
                    "scheduled": "\(step.choice + 1) of \(step.ready) runnable",
                    "virtual time": "\(Duration.nanoseconds(step.nanoseconds))",
                ]
            )
        }
    }

    private var flows: [Entry] {
        trace.steps.enumerated().flatMap { index, step -> [Entry] in
            guard step.cause > 0, trace.steps.indices.contains(step.cause - 1) else { return [] }
            let cause = trace.steps[step.cause - 1]
            var start = Entry(name: "cause", ph: "s", pid: cause.node + 1, tid: cause.task)
            start.ts = moment(ofStep: step.cause - 1)
            start.cat = "cause"
            start.id = index + 1
            var end = Entry(name: "cause", ph: "f", pid: step.node + 1, tid: step.task)
            end.ts = moment(ofStep: index)
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
                name: name(of: event),
                ph: "i",
                pid: (nodes[event.node] ?? 0) + 1,
                // Within its step, which is one microsecond long.
                ts: isInOrder ? max(0, Double(event.step) - 0.5) : microseconds(event.nanoseconds),
                cat: event.kind,
                // Of the whole process, so that it is drawn over all of its tasks.
                s: "p",
                args: ["detail": event.detail]
            )
        }
    }

    /// What kind of event it is; of a message its ends and its type, without size and time, so that equal ones group.
    private func name(of event: TraceEvent) -> String {
        guard event.kind == "message" else { return "\(event.kind) \(event.detail)" }
        let words = event.detail.split(separator: " ")
        return "message " + words.dropLast(min(2, words.count)).joined(separator: " ")
    }

    private func moment(ofStep index: Int) -> Double {
        isInOrder ? Double(index) : microseconds(trace.steps[index].nanoseconds)
    }

    private func microseconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1000 }
}
