import Services

extension ObjectStoreConformance {
    /// Keys name what they say.
    static let naming: [Case] = [
        Case(
            "keys that differ are different objects",
            always: { bench in
                // Pairs that careless encoding, folding or prefix matching would take for one.
                let paths = [
                    "a", "a/b", "a/b/c", "A", "a b", "a+b", "a&b", "a=b", "a?b", "a;b", "a:b", "a@b", "a,b",
                    "a'b",
                    "a(b)", "a*b", "a!b", "a$b", "a.b", "a-b", "a_b", ".a", "a.", "..a", "a..b",
                ]
                for (index, path) in paths.enumerated() {
                    try await bench.put([UInt8(index)], at: ObjectKey(path))
                }
                for (index, path) in paths.enumerated() {
                    try await bench.expect([UInt8(index)], at: ObjectKey(path))
                }
            }
        ),
        Case(
            "part of a key names nothing",
            always: { bench in
                try await bench.put([1], at: ObjectKey("folder/file.jpg"))
                for path in ["folder", "folder/file", "file.jpg", "folder/file.jp", "folder/file.jpgg"] {
                    try await bench.expectAbsent(ObjectKey(path))
                }
            }
        ),
        Case(
            "a name that is no path is invalid for every call",
            always: { bench in
                let store = bench.store
                for path in ["", ".", "..", "a/../b", "./a", "a/.", "/a", "a/", "a//b", "a\u{0}b", "a\r\nb"] {
                    let key = ObjectKey(path)
                    let requirement = "“\(path)” is refused as invalidRequest"
                    try await bench.failing(requirement, [.invalidRequest], key: key) {
                        () async throws(ObjectStoreError) in
                        try await store.put([1], at: key, contentType: "image/jpeg")
                    }
                    try await bench.failing(requirement, [.invalidRequest], key: key) {
                        () async throws(ObjectStoreError) in try await store.get(key, upTo: 10)
                    }
                    try await bench.failing(requirement, [.invalidRequest], key: key) {
                        () async throws(ObjectStoreError) in try await store.info(key)
                    }
                    try await bench.failing(requirement, [.invalidRequest], key: key) {
                        () async throws(ObjectStoreError) in try store.publicURL(of: key)
                    }
                }
            }
        ),
    ]
}
