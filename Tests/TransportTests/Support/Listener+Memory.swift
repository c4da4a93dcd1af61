import LiveTransport
import Transport

extension Listener {
    /// Bytes that a live listener counts for its connections; -1 for another one.
    var heldBytes: Int { (self as? LiveListener)?.memory.held ?? -1 }
}
