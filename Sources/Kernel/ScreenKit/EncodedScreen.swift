public import Concurrency
public import Foundation

/// A screen whose states and actions are JSON, for pages and recordings, which know no screen's types.
///
/// Members stand in alphabetical order, so that equal states are equal bytes; dates are seconds since 1970. An action is an object with
/// one member, as Swift encodes an enumeration: `{"capturePhoto":{}}`, `{"setFrameRate":{"_0":5}}`.
@MainActor
public struct EncodedScreen: Sendable {
    /// The screen's name: `camera`, `chat`.
    public nonisolated let name: String
    /// What changes when the state does.
    public let source: any ScreenSource
    private let encode: @MainActor () throws -> Data
    private let watch: @Sendable (@escaping @Sendable (Data) -> Void) -> Void
    private let decode: @MainActor (Data) throws -> Sent

    /// An action that was understood.
    public struct Sent: Sendable {
        /// The action again, as it may be kept: what is secret in it is a mask.
        public let action: Data
        /// The secrets in it, which belong into no log.
        public let secrets: [EnteredSecret]
        /// Does it, and returns when it is done or has failed; a failure is in the state.
        public let perform: @MainActor @Sendable () async -> Void

        /// Whether there is a secret in it.
        public var hasSecret: Bool { !secrets.isEmpty }
    }

    /// Wraps a screen.
    public init<S: Screen>(_ name: String, _ screen: S) {
        self.name = name
        source = screen.states
        encode = { try Self.encoder.encode(screen.state) }
        watch = { [states = screen.states] observer in
            states.observe { state in if let json = try? Self.encoder.encode(state) { observer(json) } }
        }
        decode = { bytes in
            let (decoder, secrets) = (Self.decoder, DecodedSecrets())
            decoder.userInfo = secrets.userInfo
            let action = try decoder.decode(S.Action.self, from: bytes)
            return Sent(action: try Self.encoder.encode(action), secrets: secrets.values) {
                await screen.send(action)
            }
        }
    }

    private init(
        name: String,
        source: any ScreenSource,
        encode: @escaping @MainActor () throws -> Data,
        watch: @escaping @Sendable (@escaping @Sendable (Data) -> Void) -> Void,
        decode: @escaping @MainActor (Data) throws -> Sent
    ) {
        (self.name, self.source, self.encode, self.watch, self.decode) = (name, source, encode, watch, decode)
    }

    /// The screen as it is shown elsewhere: it has the same actions, which somebody else does.
    ///
    /// - Parameters:
    ///   - states: The screen's states, as JSON.
    ///   - perform: Has an action done, of which it gets the JSON, and returns when it is done or has failed.
    public func mirrored(
        states: Published<Data>,
        perform: @escaping @MainActor @Sendable (Data) async -> Void
    ) -> EncodedScreen {
        EncodedScreen(
            name: name,
            source: states,
            encode: { states.value },
            watch: { states.observe($0) }
        ) { [decode] bytes in
            let sent = try decode(bytes)
            return Sent(action: sent.action, secrets: sent.secrets) { await perform(bytes) }
        }
    }

    /// The present state.
    ///
    /// - Throws: `EncodingError`, where a state has a number that JSON has not.
    public func state() throws -> Data { try encode() }

    /// Calls `observer` with the present state and with every later one, as long as the screen exists.
    ///
    /// See `CurrentValue.observe`. States that cannot be encoded as JSON are skipped.
    package nonisolated func observe(_ observer: @escaping @Sendable (_ state: Data) -> Void) {
        watch(observer)
    }

    /// Reads an action, without doing it.
    ///
    /// - Throws: ``UnknownAction``, when the screen has no such action.
    public func action(_ bytes: Data) throws(UnknownAction) -> Sent {
        do { return try decode(bytes) } catch { throw UnknownAction(screen: name) }
    }

    /// Does an action that code has made, and returns when it is done or has failed.
    ///
    /// - Throws: ``UnknownAction``, when the screen has no such action.
    public func perform(_ action: some Encodable & Sendable) async throws(UnknownAction) {
        let json: Data
        do { json = try Self.encoder.encode(action) } catch { throw UnknownAction(screen: name) }
        try await self.action(json).perform()
    }

    /// The present state as a value, of a screen that is seen from elsewhere.
    ///
    /// - Throws: `DecodingError`, also where nothing has come yet.
    public func state<State: Decodable>(as type: State.Type = State.self) throws -> State {
        try Self.decoder.decode(type, from: state())
    }

    /// What was sent is no action of the screen.
    public struct UnknownAction: Error, Hashable, Sendable, CustomStringConvertible {
        /// The screen.
        public var screen: String

        /// Names the screen.
        public init(screen: String) { self.screen = screen }

        /// What is wrong; without the bytes, which may hold a secret.
        public var description: String { "the screen “\(screen)” has no such action" }
    }

    private nonisolated static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .secondsSince1970
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return decoder
    }
}
