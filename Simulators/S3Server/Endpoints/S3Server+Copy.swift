import Crypto
import HTTPTypes
import PeerKit
import PlainXML

extension S3Server {
    /// The object that a copy is made of, where the conditions on it hold.
    func source(_ call: S3Call) throws(S3Failure) -> (bucket: String, object: StoredObject) {
        let text = call.fields.value("x-amz-copy-source") ?? ""
        let path = text.hasPrefix("/") ? text.dropFirst() : text[...]
        if path.contains("?") { throw .notModelled("versionId") }
        guard let plain = PercentCoding.decode(path), let slash = plain.firstIndex(of: "/") else {
            throw .argument("Invalid copy source object key", "x-amz-copy-source", text)
        }
        let (bucket, key) = (String(plain[..<slash]), String(plain[plain.index(after: slash)...]))
        let found = try read(bucket) { $0[key] }
        guard let object = found else { throw .noSuchKey(key) }
        if case .notModified = try Conditions.read(object, call.fields, prefix: "x-amz-copy-source-") {
            throw .precondition("x-amz-copy-source-If-None-Match")
        }
        return (bucket, object)
    }

    func copy(_ call: S3Call) throws(S3Failure) -> PeerAnswer {
        let source = try source(call)
        let directive = call.fields.value("x-amz-metadata-directive") ?? "COPY"
        guard ["COPY", "REPLACE"].contains(directive) else {
            throw .argument("Unknown metadata directive.", "x-amz-metadata-directive", directive)
        }
        let new = try ObjectFields.read(call.fields)
        if directive == "COPY", source.bucket == call.bucket, source.object.key == call.key,
            new.value("x-amz-storage-class") == nil
        {
            throw .request(
                "This copy request is illegal because it is trying to copy an object to itself without changing the object's "
                    + "metadata, storage class, website redirect location or encryption attributes."
            )
        }
        // One request makes one part of it: the entity tag is the MD5 of all bytes, also where the source came in parts.
        let content = source.object.content
        guard content.size <= account.sizeLimit else {
            throw .tooLarge(content.size, limit: account.sizeLimit)
        }
        var digest = Insecure.MD5()
        var checksum = (source.object.checksum?.algorithm).map { RunningChecksum($0) }
        try content.forEachChunk(in: 0..<content.size) { chunk in
            digest.update(data: chunk)
            checksum?.update(chunk)
        }
        let object = StoredObject(
            key: call.key,
            content: try copied(content),
            entityTag: Hexadecimal.encode(digest.finalize()),
            modified: now,
            fields: directive == "COPY" ? source.object.fields : new,
            checksum: source.object.checksum.map {
                Checksum(
                    algorithm: $0.algorithm,
                    value: Base64.encoded(checksum?.value ?? []),
                    kind: .fullObject
                )
            }
        )
        try store(object, call, as: .copied)
        return .document(Self.copyResult("CopyObjectResult", object.quotedTag, object.modified.listed))
    }

    /// The same bytes for another object: shared in memory, under second names in files.
    private func copied(_ content: ObjectContent) throws(S3Failure) -> ObjectContent {
        guard let archive else { return content }
        let share = MemoryBudget.Share(of: budget)
        guard share.takes(MemoryBudget.rowBytes) else { throw .outOfMemory }
        do { return try archive.linked(content, share) } catch { throw .internalError }
    }

    static func copyResult(_ name: String, _ tag: String, _ modified: String) -> PlainElement {
        PlainElement(name, [PlainElement("LastModified", modified), PlainElement("ETag", tag)])
    }

    /// Removes many objects, each by itself.
    func removeMany(_ call: S3Call, _ access: Access) async throws(S3Failure) -> PeerAnswer {
        try read(call.bucket) { _ in }
        let checksum = try ReceivedBody.checksum(of: call.fields)
        let isChecked = ["content-md5", "x-amz-trailer"].contains { call.fields.value($0) != nil }
        guard isChecked || checksum != nil else {
            throw .request("Missing required header for this request: Content-MD5")
        }
        let body = try await call.document(upTo: 4 << 20, access)
        guard let element = try? PlainElement(reading: body), element.name == "Delete" else {
            throw .malformedXML
        }
        let keys = element.all("Object").map { $0["Key"] ?? "" }
        guard (1...1000).contains(keys.count), !keys.contains("") else { throw .malformedXML }
        let isQuiet = element["Quiet"] == "true"
        try change(call.bucket) { bucket, events throws(S3Failure) in
            for key in keys {
                guard let object = bucket[key] else { continue }
                try durably { try $0.removeObject(key, in: call.bucket) }
                object.content.discard()
                bucket[key] = nil
                events.append(event(.removed, object, call))
            }
        }
        let lines = isQuiet ? [] : keys.map { PlainElement("Deleted", [PlainElement("Key", $0)]) }
        return .document(PlainElement("DeleteResult", lines))
    }
}
