import AWSSignature
import HTTPTypes
import PeerKit
import Transport

extension S3Server {
    func put(_ call: S3Call, _ access: Access) async throws(S3Failure) -> PeerAnswer {
        try read(call.bucket) { _ in }
        let fields = try ObjectFields.read(call.fields)
        var body = try ReceivedBody(call, access)
        var sink = try ContentSink(
            budget,
            path: archive?.newPath(),
            isHashed: access.isHashed,
            body.algorithm
        )
        try await body.read(into: &sink, upTo: account.sizeLimit)
        let object = StoredObject(
            key: call.key,
            content: sink.content(),
            entityTag: Hexadecimal.encode(sink.md5),
            modified: now,
            fields: fields,
            checksum: Self.checksum(sink, body.algorithm)
        )
        try store(object, call)
        var answer = PeerAnswer.empty()
        answer.headers[.eTag] = object.quotedTag
        answer.setChecksum(object.checksum)
        return answer
    }

    private static func checksum(_ sink: ContentSink, _ algorithm: ChecksumAlgorithm?) -> Checksum? {
        guard let algorithm, let value = sink.checksumValue else { return nil }
        return Checksum(algorithm: algorithm, value: Base64.encoded(value), kind: .fullObject)
    }

    /// Stores an object where its conditions hold; of several at once, each sees what those before it have left.
    func store(_ object: StoredObject, _ call: S3Call, as kind: S3Event.Kind? = nil) throws(S3Failure) {
        try change(call.bucket) { bucket, events throws(S3Failure) in
            let existing = bucket[object.key]
            try Conditions.write(over: existing, key: object.key, call.fields)
            try durably { try $0.write(object, in: call.bucket) }
            existing?.content.discard()
            bucket[object.key] = object
            events.append(event(kind ?? (existing == nil ? .created : .replaced), object, call))
        }
    }

    func event(_ kind: S3Event.Kind, _ object: StoredObject, _ call: S3Call) -> S3Event {
        S3Event(
            kind: kind,
            bucket: call.bucket,
            key: object.key,
            size: object.content.size,
            entityTag: object.entityTag,
            request: call.number
        )
    }

    /// The bytes, or what conditions and ranges make of them; for HEAD the server takes the body away.
    func get(_ call: S3Call, allowsOverrides: Bool = true) throws(S3Failure) -> PeerAnswer {
        let found = try read(call.bucket) { $0[call.key] }
        guard let object = found else { throw .noSuchKey(call.key) }
        if call.target["partNumber"] != nil { throw .notModelled("partNumber of an object") }
        var answer = PeerAnswer.empty()
        if case .notModified = try Conditions.read(object, call.fields) {
            answer.status = 304
            answer.body = .empty
        } else if let text = call.fields[.range], let range = try Self.range(text, size: object.content.size)
        {
            answer.status = 206
            answer.body = object.content.body(range)
            answer.headers[.contentRange] =
                "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(object.content.size)"
        } else {
            answer.body = object.content.body(0..<object.content.size)
        }
        if answer.status != 304 {
            for field in object.fields { answer.headers.append(field) }
            try override(&answer, call, isAllowed: allowsOverrides)
        }
        answer.headers[.eTag] = object.quotedTag
        answer.headers[.lastModified] = HTTPDate.text(object.modified.seconds)
        answer.headers[.acceptRanges] = "bytes"
        if call.fields.value("x-amz-checksum-mode")?.uppercased() == "ENABLED", answer.status == 200 {
            answer.setChecksum(object.checksum)
        }
        return answer
    }

    /// The offsets that a header means; `nil` where it is no single range, which the service passes over.
    private static func range(_ text: String, size: Int) throws(S3Failure) -> Range<Int>? {
        if let range = ByteRange.parse(text, size: size) { return range }
        guard ByteRange.parse(text, size: .max) != nil else { return nil }
        throw .range(text, size: size)
    }

    /// Sets fields of the answer that the query asks for.
    private func override(_ answer: inout PeerAnswer, _ call: S3Call, isAllowed: Bool) throws(S3Failure) {
        for name in [
            "cache-control", "content-disposition", "content-encoding", "content-language", "content-type",
            "expires",
        ] {
            guard let value = call.target["response-\(name)"] else { continue }
            guard isAllowed else {
                throw .request("Request specific response headers cannot be used for anonymous GET requests.")
            }
            guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw .argument(
                    "Header value cannot be represented using ISO-8859-1.",
                    "response-\(name)",
                    value
                )
            }
            answer.headers.set(name, value)
        }
    }

    /// Removes an object; that one is not there is no error.
    func remove(_ call: S3Call) throws(S3Failure) -> PeerAnswer {
        try change(call.bucket) { bucket, events throws(S3Failure) in
            guard let object = bucket[call.key] else { return }
            try Conditions.write(over: object, key: call.key, call.fields)
            try durably { try $0.removeObject(call.key, in: call.bucket) }
            object.content.discard()
            bucket[call.key] = nil
            events.append(event(.removed, object, call))
        }
        return .empty(status: 204)
    }
}

extension PeerAnswer {
    /// Says what the checksum of an object is.
    mutating func setChecksum(_ checksum: Checksum?) {
        guard let checksum else { return }
        headers.set(checksum.algorithm.field, checksum.value)
        headers.set("x-amz-checksum-type", checksum.kind.rawValue)
    }
}
