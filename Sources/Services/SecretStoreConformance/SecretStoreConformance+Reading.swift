import Conformance
import Services

extension SecretStoreConformance {
    /// What a store holds is what is read.
    static let reading: [Case] = [
        Case("a secret that was never stored is nil") { bench in
            let trial = try await bench.make(["present": Secret("value")])
            for name in ["absent", "Present", "presen", "present2", " present"] {
                try trial.expect(nil, name)
            }
            try await bench.make([:]).expect(nil, "absent")
        },
        Case("a secret comes back whole, whatever its characters") { bench in
            let trial = try await bench.make(values.mapValues { Secret($0) })
            for (name, value) in values { try trial.expect(value, name) }
        },
        Case("names differ that differ in one letter") { bench in
            let names = ["a", "A", "a.", "a b", "a/b", "../a", "ä", "a\\b", "a=b"]
            let pairs = names.enumerated().map { ($1, Secret("value \($0)")) }
            let trial = try await bench.make(Dictionary(uniqueKeysWithValues: pairs))
            for (number, name) in names.enumerated() { try trial.expect("value \(number)", name) }
        },
        Case("reading changes nothing") { bench in
            let trial = try await bench.make(["a": Secret("first"), "b": Secret("second")])
            for _ in 0..<3 {
                try trial.expect("first", "a")
                try trial.expect(nil, "c")
                try trial.expect("second", "b")
            }
        },
    ]

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
