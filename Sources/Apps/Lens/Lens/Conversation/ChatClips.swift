internal import Files
public import Foundation
internal import Synchronization

/// Videos that were attached to messages and are none of the gallery's: `clip_<id>.mov` beside its files.
///
/// A clip lives as long as a message has it, or a user who has attached it and has not sent it. The app removes all others: those of a
/// conversation that was cleared, and at launch what a killed process has left.
public final class ChatClips: Sendable {
    /// The most bytes of a clip.
    public static let byteLimit: Int = 64 << 20

    private let documents: FileFolder
    /// Clips that are coming, or are attached to no message yet.
    private let pending = Mutex<Set<UUID>>([])

    /// Keeps clips in the folder of the photos and videos.
    init(documents: FileFolder) { self.documents = documents }

    /// The name of a clip's file.
    public static func fileName(of id: UUID) -> String { "clip_\(id.uuidString.lowercased()).mov" }

    /// The names of the files of all clips on the disk.
    package var files: [String] {
        documents.names().filter { $0.hasPrefix("clip_") && $0.hasSuffix(".mov") }
    }

    /// Writes a movie as it comes, and looks whether it has pictures.
    ///
    /// It is kept until ``release(_:)`` or ``discard(_:)``, for as long as this process lives.
    ///
    /// - Parameter pieces: The file; one that fails before its end is not kept.
    /// - Throws: `unusableVideo` or `videoFile`, `tooLarge` past ``byteLimit``; nothing is left of the file then.
    @concurrent
    public func take<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces
    ) async throws(ChatFailure) -> UUID where Pieces.Element == [UInt8] {
        let id = UUID()
        // First: a sweep must not take it for one that is left.
        pending.withLock { _ = $0.insert(id) }
        do throws(ChatFailure) {
            try await write(pieces, to: Self.fileName(of: id))
            let video = try ChatVideo(url(of: id), in: documents)
            guard try await video.jpeg(ofFrame: 0) != nil else {
                throw ChatFailure.unusableVideo(detail: "its first picture is no JPEG file")
            }
        } catch {
            discard(id)
            throw error
        }
        return id
    }

    /// Where a clip is, for ``ChatMessage/Content/video(_:caption:)``.
    public func url(of id: UUID) -> URL { URL(filePath: "\(documents.path)/\(Self.fileName(of: id))") }

    /// Leaves a clip to the message that has it now.
    public func release(_ id: UUID) { pending.withLock { _ = $0.remove(id) } }

    /// Removes a clip that was not sent; it need not be there.
    public func discard(_ id: UUID) {
        try? documents.remove(Self.fileName(of: id))
        release(id)
    }

    /// Removes the clips that nobody has.
    ///
    /// - Parameter kept: Gives the names of files that messages have. Asked for last: a clip is released only once its message is
    ///   among them.
    func sweep(keeping kept: () async throws -> Set<String>) async throws {
        let names = files
        guard !names.isEmpty else { return }
        let pending = Set(pending.withLock(\.self).map(Self.fileName))
        let messages = try await kept()
        let left = names.filter { !pending.contains($0) && !messages.contains($0) }
        guard !left.isEmpty else { return }
        if let failure = try documents.remove(left).values.first { throw failure }
    }

    @concurrent
    private func write<Pieces: AsyncSequence>(
        _ pieces: Pieces,
        to name: String
    ) async throws(ChatFailure) where Pieces.Element == [UInt8] {
        do {
            let file = try documents.begin(name)
            defer { file.close() }
            var byteCount = 0
            for try await piece in pieces {
                byteCount += piece.count
                guard byteCount <= Self.byteLimit else {
                    throw FileFailure(
                        .tooLarge,
                        operation: "attach a video",
                        path: name,
                        detail: "more than \(Self.byteLimit) bytes"
                    )
                }
                try file.write(piece)
            }
            try file.sync()
        } catch let failure as FileFailure {
            throw .videoFile(failure)
        } catch {
            throw .unusableVideo(detail: "it did not come whole: \(error)")
        }
    }
}
