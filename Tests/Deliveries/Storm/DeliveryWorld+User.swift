internal import AppKernel
internal import Files
internal import Probes
internal import ScenarioKit
internal import Simulation

extension DeliveryWorld {
    /// The user does something, and remembers what the app has said.
    func user(_ number: Int, _ step: StormStep) async throws {
        switch step.act {
        case .wish(let kind, let lane, let size):
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ Int(step.offset) &+ number) }
            try await ask(wish(number, kind, lane: lane, bytes: bytes)) { $0.app }
        case .wishByOldest:
            sometimes("an older process is refused", base.app.processes > 1)
            try await ask(wish(number, .comment, lane: 0, bytes: [])) { $0.oldest }
        case .cancel(let back): try await cancel(back)
        case .retry:
            // At once: the process may end before it says which they were.
            _ = try await answer { [promise] phone in
                try phone.app.retryFailed { entry in
                    promise.note(entry.work.number) { $0.wasRetried = true }
                    return true
                }
            }
        }
    }

    private func wish(
        _ number: Int,
        _ kind: Promise.Wish.Kind,
        lane: Int?,
        bytes: [UInt8]
    ) -> Promise.Wish {
        let identity =
            switch kind {
            case .like: "like \(lane ?? 0)"
            case .profile: "profile"
            case .file, .comment, .refused, .brief: "\(kind) \(number)"
            }
        let lane = lane.map { "lane \($0)" }
        return Promise.Wish(number: number, kind: kind, identity: identity, lane: lane, bytes: bytes)
    }

    private func ask(
        _ wish: Promise.Wish,
        of process: @escaping @Sendable (DeliveriesPhone) -> DeliveriesApp
    ) async throws {
        promise.ask(wish)
        sometimes("a wish in work is superseded", wish.kind == .like && isInWork(wish.identity))
        let answer = try await answer { phone in
            let app = process(phone)
            switch wish.kind {
            case .file:
                let content = Delivery.Content.file("\(wish.number).bin")
                try app.keep(wish.bytes, as: wish.delivery(content, "file"), identity: wish.identity)
            case .comment, .refused, .brief, .like, .profile:
                let words = wish.kind == .refused ? "refused" : "\(wish.kind) \(wish.number)"
                let kind = wish.kind == .brief ? "brief" : "words"
                try app.say(
                    wish.delivery(.words(words), kind),
                    identity: wish.identity,
                    wish.kind == .like ? .supersede : wish.kind == .profile ? .replace : .add
                )
            }
        }
        sometimes("the power goes while a wish is accepted", answer.isUnknown)
        promise.note(wish.number) { $0.acceptance = answer.word }
    }

    private func cancel(_ back: Int) async throws {
        let wishes = promise.wishes.filter { $0.acceptance == .yes && $0.cancellation == nil }
        guard let wish = wishes.dropLast(back).last else { return }
        let isInWork = isInWork(wish.identity)
        promise.note(wish.number) { $0.cancellation = .unknown }
        // What it has superseded goes with it.
        for other in promise.wishes where other.identity == wish.identity {
            promise.note(other.number) { $0.mayBeLate = true }
        }
        let answer = try await answer { [promise] phone in
            let isCancelled = try phone.app.cancel(wish.number, identity: wish.identity)
            // At once: what is sent from now on is sent too late.
            if isCancelled { promise.note(wish.number) { $0.cancellation = .yes } }
            return isCancelled
        }
        sometimes("a wish in work is taken back", isInWork && answer.value == true)
        guard answer.isUnknown || answer.value == true else {
            return promise.note(wish.number) { $0.cancellation = .no }
        }
    }

    /// Whether an entry is in work, as far as the device is on.
    private func isInWork(_ identity: String) -> Bool {
        guard base.device.isAlive, let entries = try? base.app.app.entries() else { return false }
        return entries.contains { $0.identity == identity && $0.state == .inWork }
    }

    /// What the user learns of a call.
    private enum Reply<Value: Sendable>: Sendable {
        case returned(Value)
        case refused
        case cutOff

        var value: Value? { if case .returned(let value) = self { value } else { nil } }
        var isUnknown: Bool { if case .cutOff = self { true } else { false } }
        var word: Promise.Answer {
            switch self {
            case .returned: .yes
            case .refused: .no
            case .cutOff: .unknown
            }
        }
    }

    /// Calls the app; a full disk and a newer process are answers, other errors end the run.
    private func answer<Value: Sendable>(
        _ call: @escaping @Sendable (DeliveriesPhone) throws -> Value
    ) async throws -> Reply<Value> {
        do { return .returned(try await base.onDevice { try call($0) }) } catch is NodeCrashed {
            return .cutOff
        } catch let error as DatabaseFailure {
            guard [.full, .takenOver].contains(error.code) else { throw error }
            sometimes("a wish finds the disk full", error.code == .full)
            return .refused
        } catch let error as FileFailure {
            guard error.code == .full else { throw error }
            return .refused
        }
    }
}

extension Promise.Wish {
    /// The work that it is.
    fileprivate func delivery(_ content: Delivery.Content, _ kind: String) -> Delivery {
        Delivery(number: number, content: content, lane: lane, kind: kind)
    }
}
