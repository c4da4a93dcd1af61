import AppKernel
public import Concurrency
public import ScreenKit

/// The list of notes, and a line to write one.
@MainActor
public final class NotesScreen: Screen {
    /// All that is shown.
    public struct State: Codable, Hashable, Sendable {
        /// The notes, in the order of writing.
        public var notes: [Note] = []
        /// What went wrong.
        public var alert: ScreenAlert?
    }

    /// All that a person can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Writes a note.
        case write(String)
        /// Tries again what could not be sent.
        case retry
        /// The alert has been read.
        case dismissAlert
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let app: NotesApp
    private let model: ScreenModel<State>
    private var alert: ScreenAlert?

    /// Makes a screen of an app.
    public init(_ app: NotesApp) {
        self.app = app
        model = ScreenModel(State(), sources: [app.changes])
        states = model.states
        model.derive = { [weak self] in self?.derived() }
    }

    /// The state follows the app.
    public func appear() { model.follow() }

    /// The state stays as it is.
    public func disappear() { model.unfollow() }

    /// Does what the person wants.
    public func send(_ action: Action) async {
        alert = nil
        do throws(DatabaseFailure) {
            switch action {
            case .write(let text): if !text.isEmpty { try app.write(text) }
            case .retry: try app.retry()
            case .dismissAlert: break
            }
        } catch {
            alert = Self.alert(error)
        }
        model.refresh()
    }

    private func derived() -> State {
        do throws(DatabaseFailure) {
            return State(notes: try app.notes(), alert: alert)
        } catch {
            return State(notes: state.notes, alert: Self.alert(error))
        }
    }

    private static func alert(_ failure: DatabaseFailure) -> ScreenAlert {
        ScreenAlert(
            title: "The notes could not be read or written",
            text: "The disk answered: \(failure.code.rawValue)."
        )
    }
}
