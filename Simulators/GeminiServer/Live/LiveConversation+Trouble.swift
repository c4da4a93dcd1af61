import PeerKit
import Transport

extension LiveConversation {
    /// Passes the fault points of a session, and has the trouble happen that they bring.
    func strike() async {
        for point in GeminiFaultPoints.live {
            guard let fault = faults.strike(point),
                let trouble = GeminiFaultPoints.trouble(point, fault)
            else { continue }
            await strike(trouble)
        }
    }

    /// Has trouble happen now.
    private func strike(_ trouble: LiveTrouble) async {
        switch trouble {
        case .close(let code, let reason): await end(LiveRefusal(code, reason).close)
        case .drop: await end(.abnormal)
        case .malformed(let text): await send(Array(text.utf8))
        case .goAway(let timeLeft): await announceEnd(in: timeLeft)
        case .stall(let duration): silentUntil = .now + duration
        case .mute: isMute = true
        case .stopReading(let duration): deafUntil = .now + duration
        }
    }

    /// Passes the fault point of a session that has just begun.
    func strikeAtStart() {
        guard let fault = faults.strike(GeminiFaultPoints.farewell) else { return }
        let wait = fault.time("after") + fault.time("spread") * Double.random(in: 0...1)
        after(wait) { await $0.announceEnd(in: fault.time("timeLeft")) }
    }

    /// Warns the client and closes later, as the service does before a connection grows too old.
    ///
    /// The close is the one that was seen after ten minutes: 1000, “The operation was cancelled.”
    func announceEnd(in timeLeft: Duration) async {
        await send(["goAway": ["timeLeft": .string(timeLeft.protobufJSON)]])
        after(timeLeft) { await $0.end(LiveRefusal.cancelled.close) }
    }
}
