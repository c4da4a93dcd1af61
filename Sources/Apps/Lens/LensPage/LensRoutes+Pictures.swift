internal import Files
internal import Foundation
internal import HTTPTypes
internal import Lens
internal import LensScreens
internal import PageKit
internal import Synchronization
internal import Transport

extension LensRoutes {
    /// A file of the gallery, `/media/<id>`, small as `/thumbnails/<id>`, of a video the picture that is seen at a time in
    /// milliseconds, `/videos/<id>?at=<time>`,
    /// the picture of a message, `/pictures/<id>`, or a file that is attached to the next one, `/attachments/<id>`; `nil` where
    /// there is none.
    func picture(_ request: PageRequest<LensWindow>) async -> PageAnswer? {
        let (parts, time) = (request.path.split(separator: "/"), request.query["at"])
        guard parts.count == 2, let id = UUID(uuidString: String(parts[1])) else { return nil }
        switch parts[0] {
        case "media": return media(id)
        case "thumbnails":
            if let item = app.gallery.item(id), let small = await app.thumbnails.illustrated(item).thumbnail {
                return .unchanging("image/jpeg", .bytes(Array(small)))
            }
            // Something else may be there tomorrow: it is not kept.
            return media(id, [.photo]).map { PageAnswer(status: $0.status, type: $0.type, body: $0.body) }
        case "videos":
            // Browsers do not play Motion-JPEG: the page shows one picture after the other.
            guard let milliseconds = time.flatMap({ Int32($0) }),
                let frame = await app.videos.picture(of: id, at: .milliseconds(milliseconds))
            else { return nil }
            return .unchanging("image/jpeg", .bytes(frame))
        case "attachments":
            return await attachedFile(id, request).map { .unchanging("image/jpeg", .bytes($0)) }
        case "pictures":
            guard let bytes = try? app.conversation.picture(of: id), !bytes.isEmpty else { return nil }
            return .unchanging("image/jpeg", .bytes(Array(bytes)))
        default: return nil
        }
    }

    /// A picture that is attached on any page.
    @MainActor
    private func attachedFile(_ id: UUID, _ request: PageRequest<LensWindow>) -> [UInt8]? {
        request.windows.lazy.compactMap { $0.app.chat.attachedFile(id) }.first
    }

    private func media(_ id: UUID, _ kinds: [MediaItem.Kind] = MediaItem.Kind.allCases) -> PageAnswer? {
        // The name is made of the identifier: a page cannot name a file.
        for kind in kinds {
            let type = kind == .photo ? "image/jpeg" : "video/quicktime"
            let name = MediaLibrary.fileName(of: id, kind: kind)
            guard documents.contains(name) else { continue }
            guard let seat = readers.take() else {
                return .text(.serviceUnavailable, "Too many pictures are being sent.")
            }
            guard let size = try? documents.size(of: name) else {
                return .text(.internalServerError, "The file cannot be read.")
            }
            return .unchanging(type, FileParts(of: name, in: documents, size: size, seat).body)
        }
        return nil
    }
}

/// A file that is read while it is sent, piece by piece.
private final class FileParts: Sendable {
    /// In bytes.
    private static let part = 256 * 1024

    private let name: String
    private let folder: FileFolder
    private let size: Int
    /// Held until the file is sent, or nobody wants it any more.
    private let seat: PageSeat
    private let sent = Mutex(0)

    init(of name: String, in folder: FileFolder, size: Int, _ seat: PageSeat) {
        (self.name, self.folder, self.size, self.seat) = (name, folder, size, seat)
    }

    var body: HTTPBody {
        .stream(ByteStream { () async throws(TransportError) in try self.next() }, length: size)
    }

    private func next() throws(TransportError) -> [UInt8]? {
        let offset = sent.withLock(\.self)
        guard offset < size else { return nil }
        let count = min(Self.part, size - offset)
        guard let bytes = try? folder.read(name, from: offset, count: count), bytes.count == count else {
            throw TransportError(
                .protocolViolation,
                operation: "send a file",
                peer: "page",
                detail: "the file was deleted, or cannot be read"
            )
        }
        sent.withLock { $0 += count }
        return bytes
    }
}
