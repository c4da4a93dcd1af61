public import GeminiAPI
public import Services
public import Transport

/// Google's Gemini Live API over WebSocket.
///
/// Each session is one connection: the setup goes out first, and a session exists once the service has
/// acknowledged it. The key travels in a header of the handshake and appears nowhere else: words that come
/// from outside are searched for it before they enter an error. An ephemeral token (`auth_tokens/…`) serves as key, too.
///
/// Source: ai.google.dev/api/live (BidiGenerateContent).
public struct GeminiLiveModel: LiveModel {
    /// Messages that may come before the acknowledgement of the setup; the service is known to send none.
    private static let mostEarlyMessages = 64
    /// Bytes of them and of the acknowledgement together.
    private static let mostEarlyBytes = 65_536

    /// Characters of the service's own words that are shown when it refuses a handshake.
    private static let refusalExcerpt = 500

    private let client: any WebSocketClient
    private let endpoint: GeminiEndpoint
    private let options: GeminiOptions
    private let key: @Sendable () throws(SecretStoreError) -> Secret?

    /// Makes a model whose key is asked for at the start of each session.
    ///
    /// - Parameters:
    ///   - client: Opens the connections.
    ///   - endpoint: Where the service is.
    ///   - options: What a session asks the service for.
    ///   - key: Gives the key; `nil` or an empty one makes ``startSession(_:)`` throw `missingKey`.
    public init(
        client: any WebSocketClient,
        endpoint: GeminiEndpoint = .google,
        options: GeminiOptions = GeminiOptions(),
        key: @escaping @Sendable () throws(SecretStoreError) -> Secret?
    ) {
        self.client = client
        self.endpoint = endpoint
        self.options = options
        self.key = key
    }

    /// Makes a model whose key is read from a secret store at the start of each session.
    public init(
        client: any WebSocketClient,
        endpoint: GeminiEndpoint = .google,
        options: GeminiOptions = GeminiOptions(),
        secrets: any SecretStore,
        keyName: String = "gemini_api_key"
    ) {
        self.init(client: client, endpoint: endpoint, options: options) { () throws(SecretStoreError) in
            try secrets.secret(named: keyName)
        }
    }

    /// Opens a session and waits until the service has accepted its setup.
    ///
    /// - Throws: `missingKey`, `invalidKey`, `quotaExceeded`, `rejected`, `unavailable`, `unreachable`,
    ///   `timedOut`, `cancelled`.
    public func startSession(
        _ configuration: LiveConfiguration
    ) async throws(LiveModelError) -> any LiveSession {
        let key = try readKey()
        let setup = try message(of: configuration)
        let socket = try await connect(with: key)
        do throws(LiveModelError) {
            do throws(TransportError) { try await socket.send(text: setup) } catch {
                // A refusal may have come while the setup went out; the close tells more than the failed send.
                if error.code == .cancelled { throw failure(error, key) }
            }
            let early = try await setupAnswer(on: socket, key)
            if configuration.seedsHistory { try await seed(configuration.history, on: socket, key) }
            return GeminiSession(
                socket,
                peer: endpoint.description,
                key: key,
                textRoute: options.textRoute,
                events: early
            )
        } catch {
            await socket.close(.normal)
            throw error
        }
    }

    private func readKey() throws(LiveModelError) -> Secret {
        let found: Secret?
        do { found = try key() } catch {
            throw LiveModelError(
                .missingKey,
                operation: "open session",
                peer: endpoint.description,
                detail: "\(error)"
            )
        }
        guard let found, !found.reveal().isEmpty else {
            throw LiveModelError(.missingKey, operation: "open session", peer: endpoint.description)
        }
        return found
    }

    private func message(of configuration: LiveConfiguration) throws(LiveModelError) -> String {
        do { return try ClientMessage.setup(configuration, options: options) } catch {
            throw LiveModelError(
                .rejected,
                operation: "open session",
                peer: endpoint.description,
                detail: "a number that JSON cannot hold"
            )
        }
    }

    /// Sends turns that count as said before.
    private func seed(
        _ history: [LiveTurn],
        on socket: any WebSocket,
        _ key: Secret
    ) async throws(LiveModelError) {
        let message: String
        do { message = try ClientMessage.turns(history, isComplete: true) } catch {
            throw LiveModelError(.rejected, operation: "open session", peer: endpoint.description)
        }
        do throws(TransportError) { try await socket.send(text: message) } catch { throw failure(error, key) }
    }

    private func connect(with key: Secret) async throws(LiveModelError) -> any WebSocket {
        do throws(TransportError) {
            return try await client.connect(
                endpoint.handshake(key: key),
                limits: options.limits,
                timeout: options.connectTimeout
            )
        } catch {
            throw failure(error, key)
        }
    }

    /// Waits for the acknowledgement for a bounded time; returns the events that came before it.
    private func setupAnswer(
        on socket: any WebSocket,
        _ key: Secret
    ) async throws(LiveModelError) -> [LiveEvent] {
        let timedOut = LiveModelError(
            .timedOut,
            operation: "open session",
            peer: endpoint.description,
            detail: "the setup was not acknowledged within \(options.setupTimeout)"
        )
        let cancelled = LiveModelError(.cancelled, operation: "open session", peer: endpoint.description)
        let timeout = options.setupTimeout
        let result = await withTaskGroup(of: Result<[LiveEvent], LiveModelError>.self) { group in
            group.addTask {
                do throws(LiveModelError) {
                    return .success(try await readUntilAccepted(socket, key))
                } catch { return .failure(error) }
            }
            group.addTask {
                do { try await Task.sleep(for: timeout) } catch { return .failure(cancelled) }
                return .failure(timedOut)
            }
            let first = await group.next() ?? .failure(cancelled)
            group.cancelAll()
            return first
        }
        return try result.get()
    }

    private func readUntilAccepted(
        _ socket: any WebSocket,
        _ key: Secret
    ) async throws(LiveModelError) -> [LiveEvent] {
        var early: [LiveEvent] = []
        var size = 0
        for _ in 0...Self.mostEarlyMessages {
            let incoming: WebSocketPayload
            do throws(TransportError) { incoming = try await socket.receivePayload() } catch {
                throw failure(error, key)
            }
            switch incoming {
            case .closed(let close): throw refusal(close, key)
            case .text(let bytes), .binary(let bytes): size += bytes.count
            }
            if size > Self.mostEarlyBytes { break }
            let reading = MessageReading(incoming, key: key)
            early += reading.events.filter { $0 != .other }
            if reading.acceptsSetup { return early }
        }
        throw LiveModelError(
            .unavailable,
            operation: "open session",
            peer: endpoint.description,
            detail: "messages came without an answer to the setup: \(size) bytes"
        )
    }

    private func refusal(_ close: WebSocketClose, _ key: Secret) -> LiveModelError {
        LiveModelError(
            LiveModelError.Code(close),
            operation: "open session",
            peer: endpoint.description,
            detail: key.redacted(from: close.reason),
            closeCode: close.code
        )
    }

    private func failure(_ error: TransportError, _ key: Secret) -> LiveModelError {
        // A key may stand across the place where the words are cut: they are searched first.
        let words = key.redacted(from: String(decoding: error.body, as: UTF8.self))
        let answer = words.isEmpty ? "" : ": \(words.prefix(Self.refusalExcerpt))"
        return LiveModelError(
            LiveModelError.Code(error),
            operation: "open session",
            peer: endpoint.description,
            detail: key.redacted(from: error.description) + answer,
            retryAfter: [error.retryAfter, RetryInfo.delay(in: error.body)].compactMap { $0 }.max()
        )
    }
}
