import Conformance
import Services

extension ObjectStoreConformance {
    /// Objects are read in parts, and compared.
    static let reading: [Case] = [
        Case("range.parts", "a range brings its bytes, as far as the object has them") { trial in
            let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 % 251) }
            let key = ObjectKey("range")
            try await trial.put(bytes, at: key, type: "image/jpeg")
            for range in [0..<1, 100..<350, 999..<1000, 0..<1000, 900..<5000, 7..<7] {
                let part = range.clamped(to: 0..<1000)
                let stream = try await requireSuccess("bytes \(range) can be read") {
                    try await trial.store.open(key, range: range)
                }
                try require(
                    stream.range.count,
                    is: part.count,
                    "a stream says how many bytes come of \(range)"
                )
                try require(stream.info.size, is: 1000, "a stream says how large the object is")
                var read: [UInt8] = []
                for try await chunk in stream { read += chunk }
                try require(
                    read == Array(bytes[part]),
                    "bytes \(range) are those of the object",
                    saw: "\(read.count) others"
                )
            }
        },
        Case("range.behind", "a range behind the end is invalidRequest, and absence stays notFound") {
            trial in
            let key = ObjectKey("short")
            try await trial.put([1, 2, 3], at: key)
            try await trial.failing("nothing is at byte 3", [.invalidRequest], key: key) {
                try await trial.store.open(key, range: 3..<4)
            }
            let absent = ObjectKey("absent")
            try await trial.failing("there is no object", [.notFound], key: absent) {
                try await trial.store.open(absent, range: 0..<1)
            }
        },
        Case("stream.info", "an object that is opened says its type and its tag") { trial in
            let key = ObjectKey("opened")
            try await trial.put([1, 2, 3], at: key, type: "video/quicktime")
            let stream = try await requireSuccess("it can be opened") {
                try await trial.store.open(key, range: nil)
            }
            try require(stream.info.contentType, is: "video/quicktime", "the type is that of the upload")
            let tag = try await trial.info(key)?.entityTag
            try require(stream.info.entityTag, is: tag ?? "none", "the tag is that of its information")
        },
        Case("holds.bytes", "whether an object is some content is decided by its bytes") { trial in
            let key = ObjectKey("held")
            func holds(_ bytes: [UInt8]) async throws -> Bool {
                try await requireSuccess("an object is compared") {
                    try await trial.store.holds(ObjectContent(bytes), at: key)
                }
            }
            try require(try await holds([1]), is: false, "an absent object is no content")
            try await trial.put([1, 2, 3], at: key)
            try require(try await holds([1, 2, 3]), is: true, "the object is its bytes")
            try require(try await holds([1, 2, 4]), is: false, "bytes of equal length are others")
            try require(try await holds([1, 2]), is: false, "its beginning is not the object")
        },
        Case("metadata.kept", "metadata is kept with the object", ability: .metadata) { trial in
            let key = ObjectKey("described")
            let said = ["by": "me and you", "size": "3", "x-1": "~!"]
            try await trial.put([1], at: key, PutOptions(contentType: "image/jpeg", metadata: said))
            try require(try await trial.info(key)?.metadata ?? [:], is: said, "what was said is known")
            try await trial.put([1], at: ObjectKey("plain"))
            try require(
                try await trial.info(ObjectKey("plain"))?.metadata ?? [:],
                is: [:],
                "nothing is made up"
            )
        },
        Case("metadata.names", "metadata that cannot be sent is invalidRequest, and nothing is stored") {
            trial in
            for wrong in [["": "a"], ["a b": "c"], ["a": "b\r\nx: y"], ["a": " b"]] {
                let key = ObjectKey("smuggled")
                try await trial.failing("\(wrong) is refused", [.invalidRequest], key: key) {
                    try await trial.store.put(
                        ObjectContent([1]),
                        at: key,
                        PutOptions(contentType: "image/jpeg", metadata: wrong),
                        report: nil
                    )
                }
                try await trial.expectAbsent(key)
            }
        },
    ]
}
