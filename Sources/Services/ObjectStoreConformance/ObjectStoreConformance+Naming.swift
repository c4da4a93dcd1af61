import Conformance
import Services

extension ObjectStoreConformance {
    /// Keys name what they say.
    static let naming: [Case] = [
        Case("name.distinct", "keys that differ are different objects") { trial in
            // Pairs that careless encoding, folding or prefix matching would take for one.
            let paths = [
                "a", "a/b", "a/b/c", "A", "a b", "a+b", "a&b", "a=b", "a?b", "a;b", "a:b", "a@b", "a,b",
                "a'b",
                "a(b)", "a*b", "a!b", "a$b", "a.b", "a-b", "a_b", ".a", "a.", "..a", "a..b",
            ]
            for (index, path) in paths.enumerated() {
                try await trial.put([UInt8(index)], at: ObjectKey(path))
            }
            for (index, path) in paths.enumerated() {
                try await trial.expect([UInt8(index)], at: ObjectKey(path))
            }
        },
        Case("name.part", "part of a key names nothing") { trial in
            try await trial.put([1], at: ObjectKey("folder/file.jpg"))
            for path in ["folder", "folder/file", "file.jpg", "folder/file.jp", "folder/file.jpgg"] {
                try await trial.expectAbsent(ObjectKey(path))
            }
        },
        Case("name.invalid", "a name that is no path is invalid for every call") { trial in
            let store = trial.store
            for path in ["", ".", "..", "a/../b", "./a", "a/.", "/a", "a/", "a//b", "a\u{0}b", "a\r\nb"] {
                let key = ObjectKey(path)
                let requirement = "“\(path)” is refused as invalidRequest"
                try await trial.failing(requirement, [.invalidRequest], key: key) {
                    try await store.put([1], at: key, contentType: "image/jpeg")
                }
                try await trial.failing(requirement, [.invalidRequest], key: key) {
                    try await store.get(key, upTo: 10)
                }
                try await trial.failing(requirement, [.invalidRequest], key: key) {
                    try await store.info(key)
                }
                try await trial.failing(requirement, [.invalidRequest], key: key) {
                    try store.publicURL(of: key)
                }
            }
        },
    ]
}
