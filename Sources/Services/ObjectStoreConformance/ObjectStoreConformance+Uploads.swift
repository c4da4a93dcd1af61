import Conformance
import Services
import Synchronization

extension ObjectStoreConformance {
    /// Content is read while it is stored, and uploads go on.
    static let uploads: [Case] = [
        Case(
            "upload.read",
            "content that is read while it is sent arrives as it is, and its progress ends at its size"
        ) {
            trial in
            let bytes = trial.film
            let last = Mutex(0)
            let content = ObjectContent(size: bytes.count) { range throws(ObjectContentError) in
                Array(bytes[range])
            }
            try await requireSuccess("\(bytes.count) bytes are stored") {
                try await trial.store.put(
                    content,
                    at: ObjectKey("film"),
                    PutOptions(contentType: "video/quicktime")
                ) {
                    progress in last.withLock { $0 = progress.sent }
                }
            }
            try require(last.withLock { $0 }, is: bytes.count, "the last report is of all bytes")
            try await trial.expect(bytes, at: ObjectKey("film"))
        },
        Case("upload.once", "content that comes once arrives as it is") { trial in
            let bytes = trial.film
            let left = Mutex(bytes[...])
            let content = ObjectContent(size: bytes.count) {
                left.withLock { left in
                    // Its chunks fit no part.
                    let chunk = Array(left.prefix(7777))
                    left = left.dropFirst(7777)
                    return chunk.isEmpty ? nil : chunk
                }
            }
            try await requireSuccess("\(bytes.count) bytes are stored") {
                try await trial.store.put(
                    content,
                    at: ObjectKey("once"),
                    PutOptions(contentType: "video/quicktime"),
                    report: nil
                )
            }
            try await trial.expect(bytes, at: ObjectKey("once"))
        },
        Case(
            "upload.unreadable",
            "content that cannot be read to its end is unreadable, and nothing of it stays"
        ) {
            trial in
            let size = trial.film.count
            for good in [0, size / 2, size - 1] {
                let key = ObjectKey("unreadable/\(good)")
                let content = ObjectContent(size: size) { range throws(ObjectContentError) in
                    if range.upperBound > good { throw ObjectContentError("the disk failed at \(good)") }
                    return Array(repeating: 7, count: range.count)
                }
                let error = try await trial.failing("it says so", [.unreadable], key: key) {
                    try await trial.store.put(content, at: key, PutOptions(contentType: "a/b"), report: nil)
                }
                try require(error.detail.contains("the disk failed"), "the cause is named", saw: error.detail)
                try await trial.expectAbsent(key)
                try await trial.put([1], at: key)
            }
        },
        Case("upload.report", "a report that throws ends the upload as cancelled") { trial in
            struct Full: Error {}
            let key = ObjectKey("reported")
            try await trial.failing("it is cancelled", [.cancelled], key: key) {
                try await trial.store.put(
                    ObjectContent(trial.film),
                    at: key,
                    PutOptions(contentType: "a/b")
                ) { _ in throw Full() }
            }
        },
        Case("checkpoint.resumed", "an upload goes on from its checkpoint", ability: .checkpoints) { trial in
            let bytes = trial.film
            let key = ObjectKey("resumed")
            let last = try await trial.interrupted(bytes, at: key)
            let beginnings = Mutex(0)
            let content = ObjectContent(size: bytes.count) { range throws(ObjectContentError) in
                if range.lowerBound == 0 { beginnings.withLock { $0 += 1 } }
                return Array(bytes[range])
            }
            let options = PutOptions(contentType: "video/quicktime", checkpoint: last)
            try await requireSuccess("it goes on") {
                try await trial.store.put(content, at: key, options) { _ in }
            }
            try await trial.expect(bytes, at: key)
            // Once for its digest.
            try require(
                beginnings.withLock { $0 } <= 1,
                "what had arrived is not sent again",
                saw: "the beginning read \(beginnings.withLock { $0 }) times"
            )
            try require(try await trial.info(key)?.contentType, is: "video/quicktime", "the type is kept")
        },
        Case(
            "checkpoint.other",
            "a checkpoint of other content starts the upload again",
            ability: .checkpoints
        ) { trial in
            let key = ObjectKey("other")
            let last = try await trial.interrupted(trial.film, at: key)
            let others = trial.film.map { $0 ^ 1 }
            let options = PutOptions(contentType: "a/b", checkpoint: last)
            try await requireSuccess("it is stored") {
                try await trial.store.put(ObjectContent(others), at: key, options) { _ in }
            }
            try await trial.expect(others, at: key)
        },
        Case("checkpoint.discarded", "an upload that is discarded can still be made", ability: .checkpoints) {
            trial in
            let key = ObjectKey("discarded")
            let last = try await trial.interrupted(trial.film, at: key)
            for _ in 0..<2 {
                try await requireSuccess("it is forgotten, also twice") {
                    try await trial.store.discard(last)
                }
            }
            try await trial.expectAbsent(key)
            let options = PutOptions(contentType: "a/b", checkpoint: last)
            try await requireSuccess("it starts again") {
                try await trial.store.put(ObjectContent(trial.film), at: key, options) { _ in }
            }
            try await trial.expect(trial.film, at: key)
        },
    ]
}

extension Trial {
    private static let frames = Array((0..<2400).map { _ in (0...250).map { UInt8($0) } }.joined())

    /// As large as the store takes, and at most 600 kB: some parts, where the store has them.
    var film: [UInt8] { Array(Self.frames.prefix(min(600_000, harness.sizeLimit ?? .max))) }

    /// Begins an upload, and ends it once a part has arrived.
    func interrupted(_ bytes: [UInt8], at key: ObjectKey) async throws -> UploadCheckpoint {
        struct Interruption: Error {}
        let last = Mutex<UploadCheckpoint?>(nil)
        do throws(ObjectStoreError) {
            try await store.put(ObjectContent(bytes), at: key, PutOptions(contentType: "video/quicktime")) {
                progress in
                guard let checkpoint = progress.checkpoint else { return }
                last.withLock { $0 = checkpoint }
                if checkpoint.confirmed > 0 { throw Interruption() }
            }
        } catch { if error.code != .cancelled { throw error } }
        guard let checkpoint = last.withLock({ $0 }), checkpoint.confirmed > 0 else {
            throw CaseSkipped(
                "the store has reported no checkpoint of \(bytes.count) bytes: make its parts smaller"
            )
        }
        try require(checkpoint.size, is: bytes.count, "a checkpoint says the size")
        try require(checkpoint.key, is: key, "a checkpoint names its object")
        try harness.requireNoSecret(in: checkpoint)
        return checkpoint
    }
}
