package import Foundation

/// What is sent to a page, but for states.
package enum PageFrame: Encodable, Sendable {
    /// The answer to a hello: the session's name, and whether it is the one that the page had.
    case welcome(page: String, resumed: Bool)
    /// An action is done; a failure is in the screen's state.
    case done(id: Int)
    /// An action was not done, or a message was none.
    case refused(id: Int?, Refusal)
    /// A sentence to speak.
    case speak(number: Int, text: String)
    /// The end of a sentence that is being spoken.
    case hush(number: Int)
    /// The browser is to listen to the user.
    case listen(number: Int)
    /// It has listened long enough: what it has heard is asked for.
    case finishListening(number: Int)
    /// It is to listen no longer, and what it has heard is not asked for.
    case stopListening(number: Int)

    /// Why an action was not done.
    package enum Refusal: String, Sendable, CaseIterable {
        case badMessage, unknownScreen, unknownAction
        /// Too many actions are not yet done.
        case busy
        /// Secrets travel in requests of their own, which nothing records.
        case secretInMessage
        /// A recording is looked at, and does not change.
        case readOnly
        /// The file of a recording is damaged there.
        case unreadable

        /// In words for developers.
        var text: String {
            switch self {
            case .badMessage: "the message was not understood"
            case .unknownScreen: "there is no such screen"
            case .unknownAction: "the screen has no such action"
            case .busy: "too many actions are not yet done"
            case .secretInMessage: "send actions with a secret to /secret"
            case .readOnly: "a recording cannot be changed"
            case .unreadable: "the recording cannot be read there"
            }
        }
    }

    private enum Key: String, CodingKey {
        case welcome, page, resumed, id, ok, error, code, text, speak, hush, number, listen, finishListening,
            stopListening
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .welcome(let page, let resumed):
            var part = container.nestedContainer(keyedBy: Key.self, forKey: .welcome)
            try part.encode(page, forKey: .page)
            try part.encode(resumed, forKey: .resumed)
        case .done(let id):
            try container.encode(id, forKey: .id)
            try container.encode(true, forKey: .ok)
        case .refused(let id, let refusal):
            try container.encodeIfPresent(id, forKey: .id)
            var part = container.nestedContainer(keyedBy: Key.self, forKey: .error)
            try part.encode(refusal.rawValue, forKey: .code)
            try part.encode(refusal.text, forKey: .text)
        case .speak(let number, let text):
            var part = container.nestedContainer(keyedBy: Key.self, forKey: .speak)
            try part.encode(number, forKey: .number)
            try part.encode(text, forKey: .text)
        case .hush(let number): try container.encode(number, forKey: .hush)
        case .listen(let number): try container.encode(number, forKey: .listen)
        case .finishListening(let number): try container.encode(number, forKey: .finishListening)
        case .stopListening(let number): try container.encode(number, forKey: .stopListening)
        }
    }

    /// As text of a socket.
    package var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and integers are always JSON.
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }

    /// A state as text of a socket.
    package static func state(_ state: Data, of screen: String, version: Int) -> [UInt8] {
        Array("{\"screen\":\"\(screen)\",\"state\":".utf8) + Array(state)
            + Array(",\"version\":\(version)}".utf8)
    }

    /// What has changed of a state since a version, as text of a socket.
    static func change(_ change: PageChange, of screen: String, since: Int, version: Int) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(change) else { return nil }
        return Array("{\"change\":".utf8) + Array(bytes)
            + Array(",\"screen\":\"\(screen)\",\"since\":\(since),\"version\":\(version)}".utf8)
    }
}
