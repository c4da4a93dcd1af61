import LiveTransport
import Transport

extension LoopbackHost.Limits {
    /// The default limits, with the times that are given to a peer that stands still in the same proportion to its patience.
    init(patience: Duration) {
        self.init()
        let scale = patience / idleTimeout
        func scaled(_ time: Duration) -> Duration { .seconds(time / .seconds(1) * scale) }
        idleTimeout = patience
        bodyGrace = scaled(bodyGrace)
        discardTimeout = scaled(discardTimeout)
        closeTimeout = min(closeTimeout, patience)
        keepAlive = keepAlive.map {
            WebSocketKeepAlive(interval: scaled($0.interval), silence: scaled($0.silence))
        }
    }
}
