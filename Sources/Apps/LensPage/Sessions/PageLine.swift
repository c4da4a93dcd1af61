internal import AppKernel
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

    init(sent: [String: Int]) { self.sent = sent }

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
