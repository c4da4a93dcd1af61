internal import Foundation
internal import PushWire
internal import Services

/// What a device keeps of its push service: which installation it is, and what it has shown.
struct PushMemory: Sendable {
    private struct Note: Codable {
        var installation: String?
        var secret: String?
        var shown: [String] = []
    }

    /// IDs of shown notifications that are kept: more than a service keeps unacknowledged.
    private static let shownLimit = 300

    private let store: any SecretStore
    private let name: String

    /// Keeps all of it as one secret, so that nothing of it is older than the rest after a crash.
    init(_ store: any SecretStore, environment: PushEnvironment, topic: String) {
        self.store = store
        name = "push.\(environment.rawValue).\(topic)"
    }

    /// The installation; `nil` where the device is new, or what is kept cannot be read.
    func installation() throws(SecretStoreError) -> PushInstallation? {
        let note = try note()
        guard let id = note.installation, let secret = note.secret else { return nil }
        return PushInstallation(id: id, secret: secret)
    }

    func set(_ installation: PushInstallation?) throws(SecretStoreError) {
        var note = try note()
        guard note.installation != installation?.id || note.secret != installation?.secret else { return }
        (note.installation, note.secret) = (installation?.id, installation?.secret)
        try keep(note)
    }

    func hasShown(_ id: String) throws(SecretStoreError) -> Bool { try note().shown.contains(id) }

    func setShown(_ id: String) throws(SecretStoreError) {
        var note = try note()
        note.shown = note.shown.suffix(Self.shownLimit - 1) + [id]
        try keep(note)
    }

    private func note() throws(SecretStoreError) -> Note {
        guard let text = try store.secret(named: name)?.reveal() else { return Note() }
        return (try? JSONDecoder().decode(Note.self, from: Data(text.utf8))) ?? Note()
    }

    private func keep(_ note: Note) throws(SecretStoreError) {
        guard let data = try? JSONEncoder().encode(note) else { preconditionFailure("texts can be encoded") }
        try store.set(Secret(String(decoding: data, as: UTF8.self)), named: name)
    }
}
