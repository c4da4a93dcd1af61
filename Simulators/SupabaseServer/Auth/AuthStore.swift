import Foundation
import Synchronization

/// The users and sessions of a project, and the file that keeps them where the project has a folder.
///
/// A change is written before it is seen. That happens under a lock: the file is small, and in a simulation there is none.
final class AuthStore: Sendable {
    private let file: URL?
    private let state: Mutex<AuthState>

    /// Takes over what the folder holds from earlier, and adds users that are missing.
    init(folder: String?, users: [AuthUser]) throws {
        file = folder.map { URL(filePath: $0, directoryHint: .isDirectory).appending(path: "auth.json") }
        var state = AuthState()
        if let file, FileManager.default.fileExists(atPath: file.path) {
            state = try JSONDecoder().decode(AuthState.self, from: Data(contentsOf: file))
        }
        let missing = users.filter { state.user(email: $0.email) == nil }
        for user in missing { try state.add(user) }
        self.state = Mutex(state)
        if !missing.isEmpty { try write(state) }
    }

    /// Looks at the state as of now.
    func read<Found: Sendable>(
        _ look: (borrowing AuthState) throws(AuthRefusal) -> Found
    ) throws(AuthRefusal) -> Found {
        try state.withLock { state throws(AuthRefusal) in try look(state) }
    }

    /// Changes the state in one step; nothing is changed where the change throws.
    func change<Outcome: Sendable>(
        _ body: (inout AuthState) throws(AuthRefusal) -> Outcome
    ) throws(AuthRefusal) -> Outcome {
        try state.withLock { state throws(AuthRefusal) in
            var next = state
            let outcome = try body(&next)
            try write(next)
            state = next
            return outcome
        }
    }

    private func write(_ state: AuthState) throws(AuthRefusal) {
        guard let file else { return }
        do { try JSONEncoder().encode(state).write(to: file, options: .atomic) } catch {
            throw AuthRefusal(500, "unexpected_failure", "the folder cannot be written")
        }
    }
}
