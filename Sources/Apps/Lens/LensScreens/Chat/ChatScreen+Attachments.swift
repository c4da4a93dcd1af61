internal import Concurrency
public import Foundation
internal import Lens
public import ScreenKit

extension ChatScreen {
    /// What goes with the next message.
    struct Attached {
        var shown: Attachment
        /// A picture's file, as it is sent; `nil` for an item of the gallery, whose file is read when it is sent, and for a clip.
        var file: [UInt8]?

        var isClip: Bool { shown.isFile && shown.kind == .video }
    }

    // MARK: Files

    /// Attaches a JPEG or PNG file to the next message, in place of what was attached.
    ///
    /// Not an action: those are kept in recordings, and files are not.
    ///
    /// - Returns: Why it was not attached, which the screen shows, too.
    @discardableResult
    public func attach(_ file: [UInt8]) async -> ScreenAlert? {
        defer { model.refresh() }
        do {
            let small = try await app.chat.fitting(file)
            attach(Attached(shown: Attachment(id: UUID(), kind: .photo, isFile: true), file: small))
            return nil
        } catch {
            return refuse(ScreenAlert(Self.title(.photo), error))
        }
    }

    /// Attaches a movie to the next message, in place of what was attached.
    ///
    /// Not an action, as ``attach(_:)``.
    ///
    /// - Parameter pieces: The file as it comes; it is on the disk when this returns, at most `ChatClips.byteLimit` of it.
    /// - Returns: Why it was not attached, which the screen shows, too.
    @discardableResult
    public func attachVideo<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces
    ) async -> ScreenAlert? where Pieces.Element == [UInt8] {
        defer { model.refresh() }
        do throws(ChatFailure) {
            let id = try await app.clips.take(pieces)
            attach(Attached(shown: Attachment(id: id, kind: .video, isFile: true)))
            return nil
        } catch {
            return refuse(ScreenAlert(Self.title(.video), error))
        }
    }

    /// The attached picture's file of that id.
    public func attachedFile(_ id: UUID) -> [UInt8]? { attached?.shown.id == id ? attached?.file : nil }

    /// Takes what is attached off the next message, since nobody will send it.
    public func discardAttachment() { attach(nil) }

    private func refuse(_ alert: ScreenAlert) -> ScreenAlert {
        failure = (alert, .dismissAlert)
        return alert
    }

    private static func title(_ kind: MediaItem.Kind) -> String {
        kind == .photo ? "The picture was not attached" : "The video was not attached"
    }

    // MARK: The camera

    /// Attaches the camera's newest picture; why there is none is the screen's alert.
    func attachFrame() async {
        do {
            let file = try await app.chat.fitting(try await app.photos.picture())
            attach(Attached(shown: Attachment(id: UUID(), kind: .photo, isFile: true), file: file))
            failure = nil
        } catch { _ = refuse(ScreenAlert(Self.title(.photo), error)) }
    }

    // MARK: The gallery

    func attach(_ kind: MediaItem.Kind, _ id: UUID) {
        isMenuOpen = false
        guard app.gallery.item(id)?.kind == kind else {
            let text = kind == .photo ? "The photo was deleted." : "The video was deleted."
            return failure = (ScreenAlert(title: Self.title(kind), text: text), .dismissAlert)
        }
        attach(Attached(shown: Attachment(id: id, kind: kind, isFile: false)))
        failure = nil
    }

    // MARK: Sending

    /// Puts something in the place of what was attached.
    func attach(_ new: Attached?) {
        if let old = attached { discard(old, unless: new) }
        attached = new
    }

    /// What is said, with what is attached.
    func draft(_ text: String, _ attached: Attached?) async throws -> ChatDraft {
        guard let attached else { return ChatDraft(text) }
        if attached.isClip { return ChatDraft(text, video: app.clips.url(of: attached.shown.id)) }
        if let file = attached.file { return ChatDraft(text, picture: file) }
        if attached.shown.kind == .video {
            // One that was deleted meanwhile is found missing when it is read.
            return ChatDraft(text, video: app.videos.url(of: attached.shown.id))
        }
        return ChatDraft(text, picture: try await app.file(ofPhoto: attached.shown.id))
    }

    /// What was attached is part of a message now.
    func sent(_ old: Attached?) {
        sending = nil
        guard let old else { return }
        if old.isClip { app.clips.release(old.shown.id) }
        if attached?.shown == old.shown { attached = nil }
    }

    /// What was attached is not part of a message, and may have been replaced meanwhile.
    func notSent(_ old: Attached?) {
        sending = nil
        if let old { discard(old, unless: attached) }
    }

    /// Removes a clip that nobody will send.
    private func discard(_ old: Attached, unless kept: Attached?) {
        guard old.isClip, old.shown != kept?.shown, old.shown != sending?.shown else { return }
        let id = old.shown.id
        // A message that was stopped late is in the conversation, and has it.
        let isKept = app.conversation.content.value.messages.contains { $0.videoID == id }
        if isKept { app.clips.release(id) } else { app.clips.discard(id) }
    }
}
