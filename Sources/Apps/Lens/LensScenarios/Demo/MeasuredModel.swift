import ScenarioKit
import Services
import Synchronization

/// A model whose sessions take the time of what they do.
final class MeasuredModel: LiveModel {
    struct Times: Sendable {
        var sends: [Int64] = []
        var replies: [Int64] = []
    }

    private let base: any LiveModel
    fileprivate let times = Mutex(Times())

    init(_ base: any LiveModel) { self.base = base }

    var sorted: Times {
        times.withLock { Times(sends: $0.sends.sorted(), replies: $0.replies.sorted()) }
    }

    func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError) -> any LiveSession {
        MeasuredSession(try await base.startSession(configuration), model: self)
    }
}

private final class MeasuredSession: LiveSession {
    private let base: any LiveSession
    private let model: MeasuredModel
    private let asked = Mutex<ContinuousClock.Instant?>(nil)

    init(_ base: any LiveSession, model: MeasuredModel) {
        self.base = base
        self.model = model
    }

    func send(_ input: LiveInput) async throws(LiveModelError) {
        let start = ContinuousClock.now
        if case .text = input { asked.withLock { $0 = start } }
        try await base.send(input)
        if case .frame = input {
            model.times.withLock { $0.sends.append((ContinuousClock.now - start).nanoseconds) }
        }
    }

    func nextEvent() async throws(LiveModelError) -> LiveEvent {
        let event = try await base.nextEvent()
        if case .text = event {
            let start = asked.withLock { asked in
                defer { asked = nil }
                return asked
            }
            if let start {
                model.times.withLock { $0.replies.append((ContinuousClock.now - start).nanoseconds) }
            }
        }
        return event
    }

    func close() async { await base.close() }

    func cause(ofClose code: UInt16, reason: String) -> LiveModelError.Code {
        base.cause(ofClose: code, reason: reason)
    }
}
