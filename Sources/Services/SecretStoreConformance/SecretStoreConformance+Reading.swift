import Conformance
import Services

extension SecretStoreConformance {
    /// What a store holds is what is read.
    static let reading: [Case] = [
        Case("read.absent", "a secret that was never stored is nil", holding: ["present": "value"]) { trial in
            for name in ["absent", "Present", "presen", "present2", " present"] {
                try trial.expect(nil, name)
            }
        },
        Case("read.empty", "a store that holds nothing has nothing") { trial in
            try trial.expect(nil, "absent")
        },
        Case("read.whole", "a secret comes back whole, whatever its characters", holding: values) { trial in
            for (name, value) in values { try trial.expect(value, name) }
        },
        Case("read.names", "names differ that differ in one letter", holding: names) { trial in
            for (name, value) in names { try trial.expect(value, name) }
        },
        Case("read.again", "reading changes nothing", holding: ["a": "first", "b": "second"]) { trial in
            for _ in 0..<3 {
                try trial.expect("first", "a")
                try trial.expect(nil, "c")
                try trial.expect("second", "b")
            }
        },
    ]

    /// Each with a value of its own.
    private static let names: [String: String] = {
        let names = ["a", "A", "a.", "a b", "a/b", "../a", "ä", "a\\b", "a=b"]
        return Dictionary(uniqueKeysWithValues: names.map { ($0, "value of \($0)") })
    }()

    /// Values that a careless encoding would change.
    static let values: [String: String] = [
        "plain": "AIzaSyD-simple_key",
        "spaces": "  leading, and trailing \t",
        "lines": "one\ntwo\r\nthree\n",
        "quotes": #"{"key":"a\"b\\c","other":'d'}"#,
        "unicode": "Schlüssel 🔑 \u{1F468}\u{200D}\u{1F469} e\u{301}",
        "percent": "100%25+/=&?#",
        "long": String(repeating: "0123456789abcdef", count: 2_000),
    ]
}
