import Conformance
import Services

extension PreferenceStoreConformance {
    /// What a store holds is what is read.
    static let reading: [Case] = [
        Case("read.empty", "a store that holds nothing has nothing") { trial in
            try trial.expect(["absent": nil], "a store that holds nothing has nothing")
        },
        Case("read.absent", "a value that was never stored is nil", holding: ["present": "value"]) { trial in
            let names = ["absent", "Present", "presen", "present2", " present", "present "]
            try trial.expect(
                Dictionary(uniqueKeysWithValues: names.map { ($0, nil) }),
                "a value that was never stored is nil"
            )
        },
        Case("read.again", "reading changes nothing", holding: ["a": "first", "b": "second"]) { trial in
            for _ in 0..<3 {
                try trial.expect(["a": "first", "b": "second", "c": nil], "reading changes nothing")
            }
        },
        Case("read.values", "values of every kind come back byte for byte", holding: values) { trial in
            try trial.expect(values.mapValues(\.self), "a value comes back byte for byte")
        },
        Case("read.names", "names differ that differ in one letter", holding: names) { trial in
            try trial.expect(names.mapValues(\.self), "a name has its own value")
        },
        Case("read.long", "a value of 100,000 bytes comes back whole", holding: ["long": long]) { trial in
            try trial.expect(["long": long], "a long value comes back whole")
        },
        Case("read.many", "a thousand values are kept apart", holding: many) { trial in
            try trial.expect(many.mapValues(\.self), "a value of many comes back")
        },
    ]

    private static let long = String(repeating: "0123456789", count: 10_000)

    private static let many = Dictionary(
        uniqueKeysWithValues: (0..<1_000).map { ("name \($0)", "value \($0)") }
    )

    /// Each with a value of its own.
    private static let names: [String: String] = {
        let names = ["a", "A", "a.", "a b", "a/b", "../a", "ä", "a\\b", "a=b", "a'b", "a%"]
        return Dictionary(uniqueKeysWithValues: names.map { ($0, "value of \($0)") })
    }()

    /// Values that a careless encoding would change.
    private static let values: [String: String] = [
        "plain": "dark",
        "empty": "",
        "number": "007",
        "truth": "true",
        "null": "null",
        "spaces": "  leading, and trailing \t",
        "lines": "one\ntwo\r\nthree\n",
        "quotes": #"{"key":"a\"b\\c","other":'d'}"#,
        "composed": "Gr\u{FC}\u{DF}e",
        "decomposed": "Gru\u{308}\u{DF}e",
        "letters": "\u{1F468}\u{200D}\u{1F469} \u{1F511}",
        "zero": "before\0after",
        "percent": "100%25+/=&?#",
    ]
}
