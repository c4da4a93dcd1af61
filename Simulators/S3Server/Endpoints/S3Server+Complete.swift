import Crypto
import Foundation
import HTTPTypes
import PeerKit
import PlainXML

extension S3Server {
    /// A part as the client lists it.
    private struct ListedPart {
        let number: Int
        let entityTag: String
        let checksum: String?
    }

    /// Makes an object of parts, in one step.
    func complete(_ call: S3Call, _ access: Access) async throws(S3Failure) -> PeerAnswer {
        // Its checksums are those of the object, which is not in the body.
        var plain = call.request
        for algorithm in ChecksumAlgorithm.allCases {
            if let name = HTTPField.Name(algorithm.field) { plain.headerFields[name] = nil }
        }
        let bodyCall = try S3Call(plain, call.body, number: call.number, domain: account.domain)
        let listed = try Self.parts(try await bodyCall.document(upTo: 4 << 20, access))
        let now = now
        // Of the very bytes that the tags of the parts stand for, which may be many: read before the state is locked.
        let checksum = try Self.checksum(try parts(listed, of: try upload(call)), try upload(call))
        let object = try change(call.bucket) { bucket, events throws(S3Failure) -> StoredObject in
            let id = call.target["uploadId"] ?? ""
            guard let upload = bucket.uploads[id], upload.key.utf8.elementsEqual(call.key.utf8) else {
                throw .noSuchUpload(id)
            }
            let parts = try self.parts(listed, of: upload)
            let existing = bucket[upload.key]
            try Conditions.write(over: existing, key: upload.key, call.fields)
            let object = StoredObject(
                key: upload.key,
                content: ObjectContent(joining: parts.map(\.content)),
                entityTag: Hexadecimal.encode(Insecure.MD5.hash(data: parts.flatMap(\.digest)))
                    + "-\(parts.count)",
                modified: now,
                fields: upload.fields,
                checksum: checksum
            )
            if let claimed = try ReceivedBody.checksum(of: call.fields), let made = object.checksum,
                made.kind == .fullObject, made.value != Base64.encoded(claimed.value)
            {
                throw .badDigest(claimed.algorithm.rawValue)
            }
            try durably { try $0.write(object, in: call.bucket) }
            existing?.content.discard()
            bucket[object.key] = object
            bucket.uploads[id] = nil
            // An archive that still has the upload of an object finds that out when it is opened.
            try? archive?.removeUpload(id)
            let taken = Set(listed.map(\.number))
            for (number, part) in upload.parts where !taken.contains(number) { part.content.discard() }
            events.append(event(existing == nil ? .created : .replaced, object, call))
            return object
        }
        var elements = [
            PlainElement("Location", "http://\(call.request.authority ?? "")\(call.target.path)"),
            PlainElement("Bucket", call.bucket), PlainElement("Key", call.key),
            PlainElement("ETag", object.quotedTag),
        ]
        if let checksum = object.checksum {
            elements.append(PlainElement(checksum.algorithm.element, checksum.value))
            elements.append(PlainElement("ChecksumType", checksum.kind.rawValue))
        }
        return .document(PlainElement("CompleteMultipartUploadResult", elements))
    }

    private static func parts(_ body: [UInt8]) throws(S3Failure) -> [ListedPart] {
        guard let element = try? PlainElement(reading: body), element.name == "CompleteMultipartUpload" else {
            throw .malformedXML
        }
        var parts: [ListedPart] = []
        for part in element.all("Part") {
            guard let number = part["PartNumber"].flatMap({ Int($0) }), let tag = part["ETag"] else {
                throw .malformedXML
            }
            let checksum = part.children.first { $0.name.hasPrefix("Checksum") }?.text
            parts.append(ListedPart(number: number, entityTag: tag.filter { $0 != "\"" }, checksum: checksum))
        }
        guard !parts.isEmpty, parts.count <= partNumbers.count else { throw .malformedXML }
        return parts
    }

    /// The parts that are meant, in their order.
    private func parts(
        _ listed: [ListedPart],
        of upload: PendingUpload
    ) throws(S3Failure) -> [PendingUpload.Part] {
        guard zip(listed, listed.dropFirst()).allSatisfy({ $0.number < $1.number }) else { throw .partOrder }
        var parts: [PendingUpload.Part] = []
        for (index, line) in listed.enumerated() {
            guard let part = upload.parts[line.number], part.entityTag == line.entityTag else {
                throw .invalidPart
            }
            if let claimed = line.checksum, let known = part.checksum, claimed != Base64.encoded(known) {
                throw .invalidPart
            }
            if index < listed.count - 1, part.content.size < account.shortestPart {
                var failure = S3Failure.partTooSmall
                failure.details = [
                    ("ProposedSize", "\(part.content.size)"), ("MinSizeAllowed", "\(account.shortestPart)"),
                    ("PartNumber", "\(line.number)"), ("ETag", line.entityTag),
                ]
                throw failure
            }
            parts.append(part)
        }
        return parts
    }

    private static func checksum(
        _ parts: [PendingUpload.Part],
        _ upload: PendingUpload
    ) throws(S3Failure) -> Checksum? {
        guard let algorithm = upload.algorithm else { return nil }
        var running = RunningChecksum(algorithm)
        switch upload.kind {
        case .composite: running.update(parts.flatMap { $0.checksum ?? [] })
        case .fullObject:
            for part in parts {
                try part.content.forEachChunk(in: 0..<part.content.size) { running.update($0) }
            }
        }
        let suffix = upload.kind == .composite ? "-\(parts.count)" : ""
        return Checksum(
            algorithm: algorithm,
            value: Base64.encoded(running.value) + suffix,
            kind: upload.kind
        )
    }
}
