internal import AppKernel
public import Observation
internal import Services

/// The settings screen.
@MainActor
@Observable
public final class SettingsViewModel {
    /// The present settings.
    public private(set) var settings: LensSettings
    /// Whether a key is kept; the key itself is never shown.
    public private(set) var hasKey: Bool = false
    /// What went wrong last, as text for the user.
    public private(set) var error: String?

    private let store: SettingsStore
    private let key: ModelKey
    private let observation = OwnedTasks()

    /// Creates the view model with the present settings.
    public init(settings store: SettingsStore, key: ModelKey) {
        self.store = store
        self.key = key
        settings = store.current.value
        readKey()
    }

    /// Starts to follow changes.
    public func onAppear() {
        observation.replace(with: [
            follow(store.current) { model, settings in model.settings = settings },
            follow(store.failure) { model, failure in model.error = failure?.description ?? model.error },
        ])
        readKey()
    }

    /// Stops to follow changes.
    public func onDisappear() { observation.cancelAll() }

    /// Changes settings; they are published and kept.
    public func change(_ change: (inout LensSettings) -> Void) {
        store.update(change)
        settings = store.current.value
    }

    /// Keeps, replaces or (with `nil` or an empty text) deletes the key.
    public func saveKey(_ text: String?) {
        do {
            try key.write(text)
            error = nil
        } catch {
            self.error = error.description
        }
        readKey()
    }

    /// Closes the error alert.
    public func dismissError() { error = nil }

    private func readKey() {
        do { hasKey = try key.read() != nil } catch {
            hasKey = false
            self.error = error.description
        }
    }
}

extension SettingsViewModel: Following {}
