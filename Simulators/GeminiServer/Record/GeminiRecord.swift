public import PeerKit
public import Transport

/// What a simulated Gemini has received and said, for assertions.
///
/// It holds no key. Its texts, frames and speech take no more than ``GeminiServerSettings/recordMemory``; later ones are left out.
public struct GeminiRecord: Sendable, Hashable {
    /// Where a client put its key.
    public enum KeyPlace: String, Sendable, Hashable {
        case header
        case query
    }

    /// One picture that was taken.
    public struct Frame: Sendable, Hashable {
        /// Counts the frames of the session from 0.
        public var sequence: Int
        /// The size of the JPEG.
        public var byteCount: Int
        /// The JPEG itself, for the newest frames only.
        public var bytes: [UInt8]?
        /// What the decoder found.
        public var inspection: FrameInspection
    }

    /// One accepted handshake and what followed.
    public struct Session: Sendable, Hashable {
        /// Counts handshakes from 0, refused ones too.
        public var index: Int
        /// The version in the path.
        public var version: String
        /// Where the key or the token was.
        public var keyPlace: KeyPlace?
        /// Whether it was an ephemeral token.
        public var usesToken = false
        /// The model, with `models/`, once the setup was read.
        public var model: String?
        /// The standing instructions.
        public var instructions: String?
        /// Whether the setup was accepted and acknowledged.
        public var isAccepted = false
        /// Whether it goes on from an earlier session.
        public var isResumed = false
        /// Messages of the client, of any kind.
        public var messageCount = 0
        /// Frames taken; ``frames`` may hold fewer.
        public var frameCount = 0
        /// The frames, oldest first; at most ``GeminiRecord/longestList``.
        public var frames: [Frame] = []
        /// Pictures in turns of the conversation.
        public var pictureCount = 0
        /// Bytes of sound, decoded.
        public var audioBytes = 0
        /// Speech that was heard in it, in order.
        public var speeches: [GeminiSpeech] = []
        /// Functions that were called, in order.
        public var calls: [String] = []
        /// Functions whose answers came, in order.
        public var toolResponses: [String] = []
        /// The words of the client, in order.
        public var texts: [String] = []
        /// What the model said, one text for each turn begun.
        public var replies: [String] = []
        /// Texts, frames and speech that the lists lack because the record had no room for them; see ``GeminiServerSettings/recordMemory``.
        public var leftOutCount = 0
        /// Bytes of texts, frames and speech that it holds.
        var keptBytes = 0
        /// How the connection ended, as the server sees it; `nil` while it is open.
        public var close: WebSocketClose?
    }

    /// One REST request that was answered.
    public struct Exchange: Sendable, Hashable {
        /// Counts requests from 0.
        public var number: Int
        /// Its verb.
        public var method: String
        /// Its path, without the query.
        public var path: String
        /// Its JSON without media, where it had one of moderate size.
        public var body: JSONValue?
        /// The status of its answer.
        public var status: Int
    }

    /// Entries that a list of the record holds; later ones are counted, not kept.
    public static let longestList = 100_000

    /// All sessions, by handshake; refused handshakes have none.
    public var sessions: [Session] = []
    /// Handshakes so far, refused ones too.
    public var handshakeCount = 0
    /// REST requests so far.
    public var requestCount = 0
    /// The newest of them, oldest first.
    public var exchanges: [Exchange] = []
}
