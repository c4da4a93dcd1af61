internal import Files
public import Foundation
internal import Services

/// Questions about one video, which the chat model answers from pictures of it; neither is kept.
public struct VideoAnalysis: Sendable {
    /// How far a question has come.
    public enum Step: Sendable, Hashable {
        /// The model is asked about so many pictures of the video.
        case asking(pictures: Int)
        /// The answer has grown by this.
        case grew(String)
    }

    /// What is asked where nobody has asked anything else.
    public static let firstQuestion: String = "What happens in this video?"

    private let model: any ChatModel
    private let pictures: any FrameEncoder
    private let documents: FileFolder
    private let network: any NetworkMonitor
    private let policy: ChatPolicy
    private let file: @Sendable (URL) -> URL?

    /// Creates one.
    ///
    /// - Parameters:
    ///   - model: Answers.
    ///   - pictures: Makes pictures small enough to send.
    ///   - documents: Where videos are.
    ///   - network: Without one, nothing is asked.
    ///   - policy: What is asked for, and how many pictures go with it.
    ///   - file: The file of the video that was uploaded to an address; `nil` for an address of nothing in the gallery.
    init(
        model: any ChatModel,
        pictures: any FrameEncoder,
        documents: FileFolder,
        network: any NetworkMonitor,
        policy: ChatPolicy,
        file: @escaping @Sendable (URL) -> URL?
    ) {
        (self.model, self.pictures, self.documents) = (model, pictures, documents)
        (self.network, self.policy, self.file) = (network, policy, file)
    }

    /// The address of a video of the gallery, by its name alone: it says nothing of the folder that the video is in.
    public static func address(of video: UUID) -> URL {
        URL(filePath: "/\(MediaLibrary.fileName(of: video, kind: .video))")
    }

    /// The id of the video of an address; `nil` where it is none of the gallery's.
    public func video(at url: URL) -> UUID? { ChatVideo.id(of: file(url) ?? url) }

    /// Asks about a video, and takes the answer to its end.
    ///
    /// In a task that is cancelled it ends soon, with the pieces that have come.
    ///
    /// - Parameters:
    ///   - question: What is asked.
    ///   - url: The video: an ``address(of:)``, or where it was uploaded to.
    ///   - step: Is given each step.
    /// - Returns: Whether the answer is whole.
    /// - Throws: Why there is no answer, or not all of one. `videoFile` or `unusableVideo`, and nothing was sent then.
    @MainActor
    public func ask(
        _ question: String,
        about url: URL,
        _ step: (Step) -> Void
    ) async throws(ChatFailure) -> Bool {
        // An address of nothing in the gallery is no name of a file.
        guard video(at: url) != nil else {
            throw .videoFile(
                FileFailure(.missing, operation: "ask about a video", path: url.lastPathComponent)
            )
        }
        let shown = try await ChatVideo.pictures(
            of: file(url) ?? url,
            in: documents,
            atMost: policy.videoPictures,
            as: pictures
        )
        step(.asking(pictures: shown.count))
        let message = ChatMessage(role: .user, content: .video(url, caption: question))
        let request = ChatRequest(
            model: policy.model,
            contents: ChatHistory([message], policy) { _ in shown }.contents,
            instructions: policy.instructions
        )
        let answer = await GrowingAnswer(to: request, from: model, over: network, streams: policy.streams) {
            step(.grew($0))
        }
        if let reason = answer.reason { throw reason }
        return answer.isWhole
    }
}
