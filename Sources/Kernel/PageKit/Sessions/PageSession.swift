internal import Concurrency
internal import Foundation
internal import ScreenKit
internal import Transport

/// One tab of a browser: its screens, which outlive a lost socket and a reload.
///
/// Each change of a screen is one message. States wait nowhere: what a slow page has not taken is overtaken by the newest.
@MainActor
final class PageSession<Window: PageWindow> {
    /// Chosen here, and told to the page alone.
    nonisolated let id: String
    /// Whether a socket is open.
    var isAttached: Bool { line != nil }

    /// The most actions that are under way at once.
    static var actionLimit: Int { 32 }

    /// What it shows.
    let window: Window
    private let encoded: [EncodedScreen]
    private let speech: BrowserSpeech
    private let hearing: BrowserHearing
    private let following = OwnedTasks()
    private var known: [String: KnownState] = [:]
    private var changed: Set<String> = []
    private var actions = RecentActions()
    private var line: PageLine?

    init(id: String, window: Window, speech: BrowserSpeech, hearing: BrowserHearing) {
        self.id = id
        self.window = window
        self.speech = speech
        self.hearing = hearing
        encoded = window.screens
    }

    // MARK: A socket

    /// Serves a socket until it is closed or another one takes over.
    func serve(_ socket: any WebSocket, _ hello: PageMessage.Hello, resumed: Bool) async {
        let line = PageLine(sent: resumed ? versions(hello) : [:], takesChanges: hello.changes ?? false)
        attach(line)
        line.put(.welcome(page: id, resumed: resumed))
        if let presence = hello.presence { update(presence, line) }
        let writing = Task { await write(line, to: socket) }
        let closing = Task { await close(socket, of: line, writing) }
        await read(from: socket, line)
        writing.cancel()
        closing.cancel()
        await writing.value
        await closing.value
        detach(line)
    }

    /// Closes a socket that is cut, whose writer may wait for a page that takes nothing; that ends the reader.
    private func close(_ socket: any WebSocket, of line: PageLine, _ writing: Task<Void, Never>) async {
        guard await line.cut.wait() == .raised, let ending = line.ending else { return }
        writing.cancel()
        await writing.value
        await socket.close(ending)
    }

    /// The session goes: nothing of it is shown any more.
    func end() {
        if let line { detach(line) }
        window.close()
        window.disappear()
    }

    /// Does an action with a secret, which came outside the socket.
    ///
    /// - Returns: The state of the screen then, as the socket has it; `nil` where there is no such action, or no secret in it.
    func take(_ secret: SecretAction) async -> [UInt8]? {
        guard let screen = encoded.first(where: { $0.name == secret.screen }),
            let sent = try? screen.action(secret.action), sent.hasSecret
        else { return nil }
        hearing.use(id)
        await sent.perform()
        markAll()
        refresh(screen)
        guard let now = known[screen.name] else { return nil }
        return PageFrame.state(now.bytes, of: screen.name, version: now.version)
    }

    /// What the page claims to show; a version that there never was counts for nothing.
    private func versions(_ hello: PageMessage.Hello) -> [String: Int] {
        (hello.versions ?? [:]).filter { name, version in known[name].map { version <= $0.version } ?? false }
    }

    private func attach(_ line: PageLine) {
        if let former = self.line {
            former.end(WebSocketClose(code: 4001, reason: "opened elsewhere"))
            // What it heard is lost with it; the new one says what it can do.
            hearing.remove(id)
        }
        self.line = line
        window.appear()
        markAll()
        following.replace(
            with: encoded.map { screen in
                let name = screen.name
                return screen.source.onChange { [weak self] in self?.mark(name) }
            }
        )
    }

    private func detach(_ line: PageLine) {
        guard line === self.line else { return }
        self.line = nil
        following.cancelAll()
        speech.remove(id)
        hearing.remove(id)
        window.disappear()
    }

    private func mark(_ name: String) {
        changed.insert(name)
        line?.wake.raise()
    }

    /// Has all states looked at.
    func markAll() {
        for screen in encoded { changed.insert(screen.name) }
        line?.wake.raise()
    }

    // MARK: Writing

    private func write(_ line: PageLine, to socket: any WebSocket) async {
        do {
            while !Task.isCancelled, line.ending == nil {
                // Frames first, so that the states sent before them are at least as new.
                let frames = line.takeFrames()
                let (welcome, others) = frames.divided { if case .welcome = $0 { true } else { false } }
                for frame in welcome { try await socket.send(utf8: frame.bytes) }
                let wroteState = try await writeStates(line, to: socket)
                for frame in others { try await socket.send(utf8: frame.bytes) }
                if frames.isEmpty, !wroteState, await line.wake.wait() == .cancelled { return }
            }
        } catch {
            // The reader sees the end of the socket, too.
        }
    }

    private func writeStates(_ line: PageLine, to socket: any WebSocket) async throws(TransportError) -> Bool
    {
        var wrote = false
        for screen in encoded {
            refresh(screen)
            guard let now = known[screen.name], line.sent[screen.name] != now.version else { continue }
            wrote = true
            try await socket.send(
                utf8: line.message(now.bytes, of: screen.name, version: now.version)
            )
        }
        return wrote
    }

    /// Takes note of a screen's state, and counts it when it differs.
    private func refresh(_ screen: EncodedScreen) {
        guard changed.remove(screen.name) != nil, let bytes = try? screen.state() else { return }
        var entry = known[screen.name] ?? KnownState()
        guard entry.bytes != bytes else { return }
        entry.version += 1
        entry.bytes = bytes
        known[screen.name] = entry
    }

    // MARK: Reading

    private func read(from socket: any WebSocket, _ line: PageLine) async {
        while let payload = try? await socket.receivePayload() {
            switch payload {
            // Another socket has the session, or this one is being closed: the page begins again there.
            case .text where line.ending != nil: continue
            case .text(let bytes): take(PageMessage(bytes), line)
            case .binary:
                return await socket.close(WebSocketClose(code: 1003, reason: "messages are JSON"))
            case .closed: return
            }
        }
    }

    private func take(_ message: PageMessage?, _ line: PageLine) {
        switch message {
        case .request(let request): begin(request, line)
        case .presence(let presence): update(presence, line)
        case .spoken(let number): speech.spoken(number, by: id)
        case .heard(let heard): hearing.take(heard, from: id)
        case .hello, nil: line.put(.refused(id: nil, .badMessage))
        }
    }

    private func update(_ presence: PageMessage.Presence, _ line: PageLine) {
        speech.update(id, presence) { line.put($0) }
        hearing.update(id, presence) { line.put($0) }
    }

    /// Begins an action in the order in which it came; a lost socket does not end it.
    ///
    /// One that is known is not done again: its answer goes to whoever asked last.
    private func begin(_ request: PageMessage.Request, _ line: PageLine) {
        func refuse(_ refusal: PageFrame.Refusal) { line.put(.refused(id: request.id, refusal)) }
        switch actions[request.id] {
        case .underWay: return
        case .done: return line.put(.done(id: request.id))
        case nil: break
        }
        guard actions.underWay < Self.actionLimit else { return refuse(.busy) }
        guard let screen = encoded.first(where: { $0.name == request.screen }) else {
            return refuse(.unknownScreen)
        }
        guard let bytes = try? JSONEncoder().encode(request.action), let sent = try? screen.action(bytes)
        else { return refuse(.unknownAction) }
        guard !sent.hasSecret else { return refuse(.secretInMessage) }
        hearing.use(id)
        actions.begin(request.id)
        Task.immediate { @MainActor in
            await sent.perform()
            actions.finish(request.id)
            markAll()
            self.line?.put(.done(id: request.id))
        }
    }
}

/// A screen's state as it was encoded last, and how often it has changed.
private struct KnownState {
    var version = 0
    var bytes = Data()
}

extension Array {
    /// Those for which a condition holds, and the others.
    fileprivate func divided(_ condition: (Element) -> Bool) -> ([Element], [Element]) {
        (filter(condition), filter { !condition($0) })
    }
}
