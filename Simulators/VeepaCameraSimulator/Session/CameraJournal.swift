import Synchronization

/// What a camera has seen and done, over all its restarts.
package final class CameraJournal: Sendable {
    private let state = Mutex(VeepaCameraRecord())

    var record: VeepaCameraRecord { state.withLock { $0 } }

    package func update(_ change: (inout VeepaCameraRecord) -> Void) { state.withLock { change(&$0) } }
}
