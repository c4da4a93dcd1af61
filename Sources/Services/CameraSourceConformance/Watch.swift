import Services
import Synchronization

/// The states of a camera, noted as they come.
final class Watch: Sendable {
    private let noted = Mutex<[CameraState]>([])
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// All states so far.
    var seen: [CameraState] { noted.withLock(\.self) }

    func note(_ state: CameraState) { noted.withLock { $0.append(state) } }

    func begin(_ states: AsyncStream<CameraState>) {
        let watching = Task { for await state in states { note(state) } }
        task.withLock { $0 = watching }
    }

    /// Ends it.
    ///
    /// - Returns: All states from the one at the beginning on.
    func end() -> [CameraState] {
        task.withLock { $0?.cancel() }
        return seen
    }
}
