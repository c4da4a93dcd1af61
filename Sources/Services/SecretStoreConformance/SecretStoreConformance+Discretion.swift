import Conformance
import Services

extension SecretStoreConformance {
    private static let value = "sesame-6f1c0a9d"
    /// The value as Base64, as hexadecimal digits, and backwards.
    private static let disguises = [
        "c2VzYW1lLTZmMWMwYTlk", "736573616d652d3666316330613964", "d9a0c1f6-emases",
    ]

    /// Nobody sees a secret who does not ask for it.
    static let discretion: [Case] = [
        Case("discretion.description", "no description of a store contains a secret", holding: ["key": value])
        { trial in
            try trial.expect(value, "key")
            var dumped = ""
            dump(trial.store, to: &dumped)
            for text in ["\(trial.store)", String(reflecting: trial.store), dumped] where leaks(text.utf8) {
                throw ConformanceFailure("a store's description keeps secrets", saw: "one in it")
            }
        },
        Case(
            "discretion.files",
            "no file contains a secret",
            holding: ["key": value],
            needs: [.changes, .writesFiles]
        ) { trial in
            try trial.set(value, "other")
            let files = try await trial.files()
            try require(!files.isEmpty, "a store that writes files has some", saw: "none")
            for (name, bytes) in files where leaks(bytes) {
                throw ConformanceFailure("no file contains a secret", saw: "one in \(name)")
            }
        },
    ]

    static func leaks(_ bytes: some Collection<UInt8>) -> Bool {
        let text = Array(bytes)
        return ([value] + disguises).contains { form in
            let form = Array(form.utf8)
            return text.indices.contains { text[$0...].starts(with: form) }
        }
    }
}
