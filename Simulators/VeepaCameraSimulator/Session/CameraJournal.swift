import Synchronization

/// What a camera has seen and done, over all its restarts.
final class CameraJournal: Sendable {
    private let state = Mutex(VeepaCameraRecord())

    var record: VeepaCameraRecord { state.withLock { $0 } }

    func update(_ change: (inout VeepaCameraRecord) -> Void) { state.withLock { change(&$0) } }
}
