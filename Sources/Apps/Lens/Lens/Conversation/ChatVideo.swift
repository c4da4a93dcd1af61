internal import Files
internal import Foundation
internal import QuickTime
internal import Services

/// A video that is attached to a message, of which a model gets pictures: every chat model takes those, and few take movies.
///
/// Its file is a video of the gallery, or a clip (``ChatClips``); a Motion-JPEG movie both.
struct ChatVideo: Sendable {
    private let name: String
    private let documents: FileFolder
    private let movie: MovieReader

    /// Opens a video.
    ///
    /// - Throws: `videoFile` where the file cannot be read, `unusableVideo` where it is no movie with pictures.
    init(_ url: URL, in documents: FileFolder) throws(ChatFailure) {
        let name = url.lastPathComponent
        guard Self.id(of: url) != nil else {
            throw .videoFile(FileFailure(.invalidName, operation: "open a video", path: name))
        }
        (self.name, self.documents) = (name, documents)
        do throws(FileFailure) { _ = try documents.size(of: name) } catch { throw .videoFile(error) }
        do throws(MovieError) { movie = try MovieReader(name, in: documents) } catch {
            throw .unusableVideo(detail: "\(error)")
        }
        guard !movie.frames.isEmpty else { throw .unusableVideo(detail: "the movie has no pictures") }
    }

    /// The identifier in the name of a file of the gallery or of a clip; `nil` for a file of another name.
    ///
    /// Folders are left out: an address that was kept says where the documents were when it was kept.
    static func id(of url: URL) -> UUID? {
        let name = url.lastPathComponent
        guard let separator = name.firstIndex(of: "_"), let point = name.lastIndex(of: "."),
            separator < point,
            let id = UUID(uuidString: String(name[name.index(after: separator)..<point]))
        else { return nil }
        return [MediaLibrary.fileName(of: id, kind: .video), ChatClips.fileName(of: id)].contains(name)
            ? id : nil
    }

    /// The numbers of pictures that are spread evenly over the video's time, each in the middle of its part of it.
    func frameNumbers(atMost count: Int) -> [Int] {
        guard movie.frames.count > count else { return Array(movie.frames.indices) }
        var numbers: [Int] = []
        for part in 0..<count {
            guard let number = movie.frameNumber(at: movie.duration * (2 * part + 1) / (2 * count)) else {
                break
            }
            // One that is seen for long stands for several parts.
            if numbers.last != number { numbers.append(number) }
        }
        return numbers
    }

    /// When a picture is seen.
    func time(ofFrame number: Int) -> Duration { movie.time(ofFrame: number) }

    /// Reads a picture's file, off the caller's actor; `nil` where its bytes are no JPEG file.
    ///
    /// - Throws: `videoFile`, also for a file that was removed meanwhile.
    @concurrent
    func jpeg(ofFrame number: Int) async throws(ChatFailure) -> [UInt8]? {
        let frame = movie.frames[number]
        do throws(FileFailure) {
            let bytes = try documents.read(name, from: frame.offset, count: frame.byteCount)
            return bytes.starts(with: [0xFF, 0xD8, 0xFF]) ? bytes : nil
        } catch {
            throw .videoFile(error)
        }
    }
}

extension ChatVideo {
    /// Pictures of a video, spread evenly over its time and small enough to send, in the order of their times; at least one.
    ///
    /// Pictures that cannot be decoded are left out.
    ///
    /// - Parameters:
    ///   - count: The most pictures, at least 1.
    ///   - checkGoingOn: Is asked before each picture and at the end; what it throws ends the work.
    /// - Throws: `videoFile` or `unusableVideo`; `model` with `cancelled` in a task that is cancelled.
    nonisolated(nonsending) static func pictures(
        of url: URL,
        in documents: FileFolder,
        atMost count: Int,
        as encoder: any FrameEncoder,
        checkGoingOn: () throws(ChatFailure) -> Void = { () throws(ChatFailure) in }
    ) async throws(ChatFailure) -> [ChatMessage.Picture] {
        let video = try await open(url, in: documents)
        var found: [ChatMessage.Picture] = []
        var trouble = "none of its pictures is a JPEG file"
        for number in video.frameNumbers(atMost: count) {
            guard !Task.isCancelled else { throw .cancelled }
            try checkGoingOn()
            guard let jpeg = try await video.jpeg(ofFrame: number) else { continue }
            do throws(ChatFailure) {
                let small = try await ChatDraft.small(jpeg, encoder)
                found.append(ChatMessage.Picture(Data(small), at: video.time(ofFrame: number)))
            } catch {
                // Cameras give a damaged picture now and then.
                trouble = error.description
            }
        }
        guard !Task.isCancelled else { throw .cancelled }
        try checkGoingOn()
        guard !found.isEmpty else { throw .unusableVideo(detail: trouble) }
        return found
    }

    /// Off the caller's actor: the index of a long video takes its time.
    @concurrent
    private static func open(_ url: URL, in documents: FileFolder) async throws(ChatFailure) -> ChatVideo {
        try ChatVideo(url, in: documents)
    }
}
