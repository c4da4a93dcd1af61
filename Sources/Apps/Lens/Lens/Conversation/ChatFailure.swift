public import Files
public import Services

/// Why a message was not sent, or not answered.
public enum ChatFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The answer to another message is still being given; nothing was sent.
    case busy
    /// The picture is none that can be sent; nothing was sent.
    case unusablePicture(detail: String)
    /// The video's file could not be read or written; nothing was sent.
    case videoFile(FileFailure)
    /// The video is no movie whose pictures can be sent; nothing was sent.
    case unusableVideo(detail: String)
    /// A stream runs, whose model takes no pictures or videos but the camera's; nothing was sent.
    case pictureWhileStreaming
    /// The model gave no answer, or not all of it.
    case model(ChatModelError)
    /// The model does not answer this question.
    case blocked(BlockReason)
    /// The model has stopped for a reason of its own.
    case stopped(FinishReason)
    /// The answer was over without a word.
    case silent

    /// The user has ended it.
    static var cancelled: ChatFailure {
        .model(ChatModelError(.cancelled, operation: "send a message", peer: "chat"))
    }

    /// Whether the same question may be answered when it is asked again.
    public var mayPass: Bool {
        switch self {
        case .busy, .silent, .pictureWhileStreaming: true
        case .model(let error): error.isTransient
        case .videoFile(let failure): failure.code == .disk || failure.code == .full
        case .unusablePicture, .unusableVideo, .blocked: false
        case .stopped(let reason): reason != .prohibited
        }
    }

    /// All of it, for people.
    public var description: String {
        switch self {
        case .busy: "another message is still being answered"
        case .unusablePicture(let detail): "the picture cannot be sent: \(detail)"
        case .videoFile(let failure): "the video cannot be sent: \(failure)"
        case .unusableVideo(let detail): "the video cannot be sent: \(detail)"
        case .pictureWhileStreaming: "the model that watches takes no pictures or videos but the camera's"
        case .model(let error): error.description
        case .blocked(let reason): "the model does not answer this: \(reason.rawValue)"
        case .stopped(let reason): "the model has stopped: \(reason.rawValue)"
        case .silent: "the model has said nothing"
        }
    }
}
