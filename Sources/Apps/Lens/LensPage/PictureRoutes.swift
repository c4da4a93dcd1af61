internal import Files
internal import Foundation
internal import HTTPTypes
internal import Lens
internal import PageKit
internal import Services
internal import Synchronization
internal import Transport

/// Pictures that need the folder and the camera alone: files of the gallery, and the live preview.
struct PictureRoutes: Sendable {
    private let documents: FileFolder
    private let preview: PreviewStream
    /// For pages that show the camera at once.
    private let previews = PageSeats(8)
    /// For files that are being sent.
    private let readers = PageSeats(32)

    init(documents: FileFolder, preview: PreviewStream) {
        (self.documents, self.preview) = (documents, preview)
    }

    /// The live preview.
    func frames() -> PageAnswer {
        guard let seat = previews.take() else {
            return .text(.serviceUnavailable, "Too many pages show the camera.")
        }
        return PageAnswer(
            status: .ok,
            type: PreviewStream.contentType,
            body: preview.body { seat.leave() }
        )
    }

    /// A photo or video; `nil` where there is none.
    func media(_ id: UUID, _ kinds: [MediaItem.Kind] = MediaItem.Kind.allCases) -> PageAnswer? {
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

    /// A photo in the place of its small picture, which may be made later.
    func photo(_ id: UUID) -> PageAnswer? {
        // Something else may be there tomorrow: it is not kept.
        media(id, [.photo]).map { PageAnswer(status: $0.status, type: $0.type, body: $0.body) }
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
