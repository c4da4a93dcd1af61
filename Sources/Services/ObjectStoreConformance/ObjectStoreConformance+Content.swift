import Conformance
import Services

extension ObjectStoreConformance {
    /// What is stored comes back.
    static let content: [Case] = [
        Case(
            "what is put is what is got, whatever the bytes",
            always: { bench in
                let every = (0...255).map { UInt8($0) }
                try await bench.put(every, at: ObjectKey("every-byte"))
                try await bench.expect(every, at: ObjectKey("every-byte"))
            }
        ),
        Case(
            "an empty object is an object",
            always: { bench in
                try await bench.put([], at: ObjectKey("empty"))
                try await bench.expect([], at: ObjectKey("empty"))
            }
        ),
        Case(
            "a large object comes back whole",
            always: { bench in
                // A period that divides no buffer size shows a chunk that is lost, doubled or moved.
                let size = min(250_000, bench.sizeLimit ?? .max)
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 % 251) }
                try await bench.put(bytes, at: ObjectKey("large"))
                try await bench.expect(bytes, at: ObjectKey("large"))
            }
        ),
        Case(
            "bytes that look like a protocol are only bytes",
            always: { bench in
                let texts = [
                    "{\"statusCode\":\"404\"}", "--boundary\r\n\r\n--boundary--\r\n", "\r\n0\r\n\r\n",
                    "\u{0}",
                ]
                for (index, text) in texts.enumerated() {
                    let key = ObjectKey("look-alike/\(index)")
                    try await bench.put(Array(text.utf8), at: key, type: "application/json")
                    try await bench.expect(Array(text.utf8), at: key)
                }
            }
        ),
        Case(
            "the content type is kept",
            always: { bench in
                for type in ["image/jpeg", "video/quicktime", "application/octet-stream"] {
                    let key = ObjectKey("type/" + type.filter { $0 != "/" })
                    try await bench.put([1], at: key, type: type)
                    let kept = try await bench.info(key)?.contentType ?? "no object"
                    guard kept == type else {
                        throw ConformanceFailure("the type \(type) is kept", saw: kept)
                    }
                }
            }
        ),
        Case(
            "an entity tag distinguishes contents, and stays",
            always: { bench in
                try await bench.put([1, 2, 3], at: ObjectKey("tag/a"))
                try await bench.put([1, 2, 4], at: ObjectKey("tag/b"))
                let first = try await bench.info(ObjectKey("tag/a"))?.entityTag
                let again = try await bench.info(ObjectKey("tag/a"))?.entityTag
                let other = try await bench.info(ObjectKey("tag/b"))?.entityTag
                guard first?.isEmpty == false, first == again, first != other else {
                    let saw = [first, again, other].map { $0 ?? "none" }.joined(separator: ", ")
                    throw ConformanceFailure("equal bytes have one tag and others another", saw: saw)
                }
            }
        ),
        Case(
            "an absent object has no information",
            always: { bench in
                try await bench.expectAbsent(ObjectKey("nobody/put/this"))
            }
        ),
        Case(
            "reading an absent object says notFound",
            always: { bench in
                let error = try await bench.failing("it is notFound", [.notFound], key: ObjectKey("absent")) {
                    () async throws(ObjectStoreError) in
                    try await bench.store.get(ObjectKey("absent"), upTo: 10)
                }
                if error.isTransient {
                    throw ConformanceFailure("absence is final", saw: "a transient error")
                }
            }
        ),
        Case(
            "what is removed is nowhere, and nothing else goes with it",
            always: { bench in
                let (gone, beside) = (ObjectKey("removed/a.jpg"), ObjectKey("removed/a.jpg2"))
                try await bench.put([1, 2], at: gone)
                try await bench.put([3], at: beside)
                try await bench.remove(gone)
                try await bench.expectAbsent(gone)
                try await bench.expect([3], at: beside)
                // Again: what is removed stays removed, and that is no error.
                try await bench.remove(gone)
                try await bench.remove(ObjectKey("removed/never-there"))
                // Its key is free.
                try await bench.put([4], at: gone)
                try await bench.expect([4], at: gone)
            }
        ),
        Case("what is removed is not served at its public address any more") { bench in
            let key = ObjectKey("removed/public.jpg")
            try await bench.put([7], at: key)
            let url = try await address(of: key, bench)
            guard let before = try await bench.read(url) else {
                return .notApplicable("the harness does not read public addresses")
            }
            try await bench.remove(key)
            let after = try await bench.read(url) ?? []
            guard before == [7], after.isEmpty else {
                throw ConformanceFailure("nothing is served there", saw: "\(before), then \(after)")
            }
            return .passed
        },
        Case("anybody finds an object at its public address") { bench in
            try await bench.put([7, 8, 9], at: ObjectKey("public/a b+c.jpg"))
            let url = try await address(of: ObjectKey("public/a b+c.jpg"), bench)
            guard let bytes = try await bench.read(url) else {
                return .notApplicable("the harness does not read public addresses")
            }
            guard bytes == [7, 8, 9] else {
                throw ConformanceFailure(
                    "the public address serves the object",
                    saw: "\(bytes.count) other bytes"
                )
            }
            return .passed
        },
        Case(
            "a public address is a URL, the same each time, another for each key",
            always: { bench in
                let first = try await address(of: ObjectKey("media/1.jpg"), bench)
                let again = try await address(of: ObjectKey("media/1.jpg"), bench)
                let other = try await address(of: ObjectKey("media/2.jpg"), bench)
                let isURL = first.contains("://") && !first.contains(" ")
                guard isURL, first == again, first != other else {
                    throw ConformanceFailure(
                        "addresses are stable and distinct",
                        saw: "\(first), \(again), \(other)"
                    )
                }
            }
        ),
    ]

    private static func address(of key: ObjectKey, _ bench: Bench) async throws -> String {
        try await bench.succeeding("“\(key)” has a public address") { () async throws(ObjectStoreError) in
            try bench.store.publicURL(of: key)
        }
    }
}
