import Conformance
import Services

extension ObjectStoreConformance {
    /// What is stored comes back.
    static let content: [Case] = [
        Case("content.bytes", "what is put is what is got, whatever the bytes") { trial in
            let every = (0...255).map { UInt8($0) }
            try await trial.put(every, at: ObjectKey("every-byte"))
            try await trial.expect(every, at: ObjectKey("every-byte"))
        },
        Case("content.empty", "an empty object is an object") { trial in
            try await trial.put([], at: ObjectKey("empty"))
            try await trial.expect([], at: ObjectKey("empty"))
        },
        Case("content.large", "a large object comes back whole") { trial in
            // A period that divides no buffer size shows a chunk that is lost, doubled or moved.
            let size = min(250_000, trial.harness.sizeLimit ?? .max)
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 % 251) }
            try await trial.put(bytes, at: ObjectKey("large"))
            try await trial.expect(bytes, at: ObjectKey("large"))
        },
        Case("content.protocol", "bytes that look like a protocol are only bytes") { trial in
            let texts = [
                "{\"statusCode\":\"404\"}", "--boundary\r\n\r\n--boundary--\r\n", "\r\n0\r\n\r\n",
                "\u{0}",
            ]
            for (index, text) in texts.enumerated() {
                let key = ObjectKey("look-alike/\(index)")
                try await trial.put(Array(text.utf8), at: key, type: "application/json")
                try await trial.expect(Array(text.utf8), at: key)
            }
        },
        Case("content.type", "the content type is kept") { trial in
            for type in ["image/jpeg", "video/quicktime", "application/octet-stream"] {
                let key = ObjectKey("type/" + type.filter { $0 != "/" })
                try await trial.put([1], at: key, type: type)
                let kept = try await trial.info(key)?.contentType
                try require(kept, is: type, "the type \(type) is kept")
            }
        },
        Case("content.tag", "an entity tag distinguishes contents, and stays") { trial in
            try await trial.put([1, 2, 3], at: ObjectKey("tag/a"))
            try await trial.put([1, 2, 4], at: ObjectKey("tag/b"))
            let first = try await trial.info(ObjectKey("tag/a"))?.entityTag
            let again = try await trial.info(ObjectKey("tag/a"))?.entityTag
            let other = try await trial.info(ObjectKey("tag/b"))?.entityTag
            try require(
                first?.isEmpty == false && first == again && first != other,
                "equal bytes have one tag and others another",
                saw: [first, again, other].map { $0 ?? "none" }.joined(separator: ", ")
            )
        },
        Case("content.absent", "an absent object has no information") { trial in
            try await trial.expectAbsent(ObjectKey("nobody/put/this"))
        },
        Case("content.notFound", "reading an absent object says notFound") { trial in
            let error = try await trial.failing("it is notFound", [.notFound], key: ObjectKey("absent")) {
                try await trial.store.get(ObjectKey("absent"), upTo: 10)
            }
            try require(!error.isTransient, "absence is final", saw: "a transient error")
        },
        Case("content.removed", "what is removed is nowhere, and nothing else goes with it") { trial in
            let (gone, beside) = (ObjectKey("removed/a.jpg"), ObjectKey("removed/a.jpg2"))
            try await trial.put([1, 2], at: gone)
            try await trial.put([3], at: beside)
            try await trial.remove(gone)
            try await trial.expectAbsent(gone)
            try await trial.expect([3], at: beside)
            // Again: what is removed stays removed, and that is no error.
            try await trial.remove(gone)
            try await trial.remove(ObjectKey("removed/never-there"))
            // Its key is free.
            try await trial.put([4], at: gone)
            try await trial.expect([4], at: gone)
        },
        Case("public.removed", "what is removed is not served at its public address any more") { trial in
            let key = ObjectKey("removed/public.jpg")
            try await trial.put([7], at: key)
            try require(try await trial.served(at: key), is: [7], "the object is served")
            try await trial.remove(key)
            try require(try await trial.served(at: key), is: [], "nothing is served there")
        },
        Case("public.served", "anybody finds an object at its public address") { trial in
            try await trial.put([7, 8, 9], at: ObjectKey("public/a b+c.jpg"))
            let bytes = try await trial.served(at: ObjectKey("public/a b+c.jpg"))
            try require(bytes, is: [7, 8, 9], "the public address serves the object")
        },
        Case("public.address", "a public address is a URL, the same each time, another for each key") {
            trial in
            let first = try trial.address(of: ObjectKey("media/1.jpg"))
            let again = try trial.address(of: ObjectKey("media/1.jpg"))
            let other = try trial.address(of: ObjectKey("media/2.jpg"))
            let isURL = first.contains("://") && !first.contains(" ")
            try require(
                isURL && first == again && first != other,
                "addresses are stable and distinct",
                saw: "\(first), \(again), \(other)"
            )
        },
    ]
}
