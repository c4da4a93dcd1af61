internal import Concurrency
internal import Foundation
internal import Services
internal import Transport

/// What waits to be sent on one socket of a page: a bounded number of frames, and of each screen no more than which version
/// was sent last.
@MainActor
final class PageLine {
    /// The most frames that may wait; a page that takes none and still asks is cut off.
    static let frameLimit = 256

    /// The version of each screen's state that the page has.
    var sent: [String: Int]
    /// Set when there is something to send.
    let wake = WakeSignal()
    /// Set when the socket is to be closed with ``ending``, also while a frame is being sent.
    let cut = WakeSignal()
    /// Why the socket is to be closed; what comes through it from then on counts for nothing.
    private(set) var ending: WebSocketClose?
    private var frames: [PageFrame] = []

    /// Whether the page takes changes of states.
    private let takesChanges: Bool
    /// The large states that the page has.
    private var shown: [String: StructuredValue] = [:]
    /// States of fewer bytes are sent whole: a change is hardly smaller, and costs the comparison.
    private static let wholeLimit = 1024

    init(sent: [String: Int], takesChanges: Bool = false) {
        (self.sent, self.takesChanges) = (sent, takesChanges)
    }

    /// What tells the page of a state: the state, or what has changed of the one that it has, whichever is shorter.
    func message(_ state: Data, of screen: String, version: Int) -> [UInt8] {
        let whole = PageFrame.state(state, of: screen, version: version)
        let (before, since) = (shown[screen], sent[screen])
        sent[screen] = version
        shown[screen] = nil
        guard takesChanges, state.count > Self.wholeLimit,
            let new = try? JSONDecoder().decode(StructuredValue.self, from: state)
        else { return whole }
        shown[screen] = new
        guard let before, let since, let change = PageChange(from: before, to: new),
            let bytes = PageFrame.change(change, of: screen, since: since, version: version),
            bytes.count < whole.count
        else { return whole }
        return bytes
    }

    /// Adds a frame, which is sent behind all states of this moment.
    func put(_ frame: PageFrame) {
        guard ending == nil else { return }
        guard frames.count < Self.frameLimit else {
            return end(WebSocketClose(code: 1008, reason: "too much unread"))
        }
        frames.append(frame)
        wake.raise()
    }

    /// Has the socket closed.
    func end(_ close: WebSocketClose) {
        guard ending == nil else { return }
        ending = close
        frames = []
        cut.raise()
    }

    /// Takes what waits.
    func takeFrames() -> [PageFrame] {
        defer { frames = [] }
        return frames
    }
}
