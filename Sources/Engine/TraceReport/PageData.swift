import Exploration
import Foundation
import Simulation

/// What the page's script reads: columns instead of objects, which are smaller and quicker to parse.
struct PageData: Encodable {
    struct Steps: Encodable {
        var time: [Int64]
        var node: [Int]
        var task: [Int]
        var kind: [UInt8]
        var cause: [Int]
        var choice: [Int]
        var ready: [Int]
        var place: [Int]
        var actor: [Int]
        /// Numbers of the steps that were chosen against the rule that whoever runs goes on.
        var preempting: [Int]
    }

    struct Events: Encodable {
        var step: [Int]
        var time: [Int64]
        var node: [String]
        var kind: [String]
        var detail: [String]
    }

    struct Task: Encodable {
        var id: Int
        var name: String
        var parent: Int
        var node: Int
        var place: String
    }

    struct Image: Encodable {
        var time: Int64
        var label: String
        var uri: String
    }

    private enum Key: String, CodingKey {
        case title, failure, failedIn, `repeat`, story, curve, nodes, steps, places, actors, events, tasks,
            images
    }

    private let page: RunPage

    init(_ page: RunPage) { self.page = page }

    func encode(to encoder: any Encoder) throws {
        let trace = page.trace
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(page.title, forKey: .title)
        switch page.ending {
        case .passed: try container.encodeNil(forKey: .failure)
        case .failed(let message): try container.encode(message, forKey: .failure)
        case .unknown: break
        }
        if case .failed = page.ending {
            let failedIn = trace.marks.last { $0.fault == nil }?.step ?? trace.steps.count
            try container.encode(failedIn, forKey: .failedIn)
        }
        try container.encodeIfPresent(page.repeatingLine, forKey: .repeat)
        try container.encodeIfPresent(story, forKey: .story)
        try container.encodeIfPresent(page.curve?.points, forKey: .curve)
        try container.encode(trace.nodes, forKey: .nodes)
        try container.encode(
            trace.places.map { $0.name.isEmpty ? $0.function : "\($0.function) at \($0.name)" },
            forKey: .places
        )
        try container.encode(trace.actors, forKey: .actors)
        try container.encode(steps(trace.steps), forKey: .steps)
        try container.encode(events(trace.events), forKey: .events)
        try container.encode(
            trace.tasks.map {
                Task(id: $0.id, name: $0.name, parent: $0.parent, node: $0.node, place: $0.place)
            },
            forKey: .tasks
        )
        try container.encode(
            page.pictures.map {
                Image(
                    time: $0.nanoseconds,
                    label: $0.label,
                    uri: "data:image/jpeg;base64," + Data($0.jpeg).base64EncodedString()
                )
            },
            forKey: .images
        )
    }

    /// Only a run that fails has something to explain.
    private var story: Story? {
        guard case .failed = page.ending else { return nil }
        return Story(page.race, page.causes, page.rate, page.curve, page.trace)
    }

    private func steps(_ steps: [Trace.Step]) -> Steps {
        Steps(
            time: steps.map(\.nanoseconds),
            node: steps.map(\.node),
            task: steps.map(\.task),
            kind: steps.map(\.kind.rawValue),
            cause: steps.map(\.cause),
            choice: steps.map(\.choice),
            ready: steps.map(\.ready),
            place: steps.map(\.place),
            actor: steps.map(\.actor),
            preempting: steps.indices.filter { steps[$0].preempts }.map { $0 + 1 }
        )
    }

    private func events(_ events: [TraceEvent]) -> Events {
        Events(
            step: events.map(\.step),
            time: events.map(\.nanoseconds),
            node: events.map(\.node),
            kind: events.map(\.kind),
            detail: events.map(\.detail)
        )
    }
}
