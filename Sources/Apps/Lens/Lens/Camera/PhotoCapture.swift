internal import AppKernel
public import Files
internal import Foundation
public import Services

/// Writes the camera's newest picture as `photo_<id>.jpg` into the documents folder.
public struct PhotoCapture: Sendable {
    private let frame: @Sendable () async throws(CameraError) -> VideoFrame
    private let encoder: any FrameEncoder
    private let documents: FileFolder
    private let library: MediaLibrary
    private let thumbnails: Thumbnails

    /// Creates a capture.
    ///
    /// - Parameters:
    ///   - encoder: Makes the JPEG file; a picture that already is one and fits goes through as the encoder likes.
    ///   - documents: Where the file goes; must exist.
    ///   - library: Where the item is noted.
    ///   - thumbnails: Makes the photo's small picture.
    ///   - frame: The newest picture; throws where there is none.
    public init(
        encoder: any FrameEncoder,
        documents: FileFolder,
        library: MediaLibrary,
        thumbnails: Thumbnails,
        frame: @escaping @Sendable () async throws(CameraError) -> VideoFrame
    ) {
        self.frame = frame
        self.encoder = encoder
        self.documents = documents
        self.library = library
        self.thumbnails = thumbnails
    }

    /// Takes a picture; the file is whole and durable when this returns, and absent when it throws for want of one.
    ///
    /// The file comes before its note: a crash between leaves a file that ``MediaLibrary/adoptFiles()`` finds again. A small
    /// picture that could not be kept is made when it is asked for.
    ///
    /// - Parameter wantsUpload: Kept before the file and with the item, so that a crash before it is queued does not lose the wish.
    /// - Throws: `CameraError` where there is no picture, else ``PhotoCaptureError``.
    public func capture(wantsUpload: Bool) async throws -> MediaItem {
        let frame = try await frame()
        return try await capture(frame, wantsUpload)
    }

    /// The camera's newest picture as a JPEG file, which is kept nowhere.
    ///
    /// - Throws: `CameraError` where there is no picture, ``PhotoCaptureError/encoding(_:)`` where it cannot be made one.
    public func picture() async throws -> [UInt8] {
        let frame = try await frame()
        do { return try await encoder.encode(frame) } catch { throw PhotoCaptureError.encoding("\(error)") }
    }

    private func capture(_ frame: VideoFrame, _ wantsUpload: Bool) async throws(PhotoCaptureError)
        -> MediaItem
    {
        let jpeg: [UInt8]
        do { jpeg = try await encoder.encode(frame) } catch { throw .encoding("\(error)") }
        let id = UUID()
        let name = MediaLibrary.fileName(of: id, kind: .photo)
        // Without it the photo is uploaded only when that is asked for, which is better than no photo.
        if wantsUpload { try? library.noteWish(for: id) }
        do throws(FileFailure) { try documents.create(name, bytes: jpeg) } catch { throw .file(error) }
        let item: MediaItem
        do throws(DatabaseFailure) {
            item = try library.add(id: id, kind: .photo, createdAt: Date(), wantsUpload: wantsUpload)
        } catch {
            throw .library(error)
        }
        await thumbnails.make(of: id, from: jpeg)
        return item
    }
}
