public import Concurrency
public import Foundation
internal import PNG
public import Services

/// Sets up a wireless camera: from the code on its label to credentials that are kept, with which the app connects it.
///
/// ```
/// idle → scanning → labelRead → showingCode → joined → connecting → finished
///                       ↑            ↓ not joined in time      ↓ not connected
///                       └────────────┘                       idle
/// ```
///
/// A screen shows ``state`` and calls:
/// - ``start(by:)``: the local camera looks for the label; codes that are none of a camera are an error in the state, and the search goes on.
/// - ``show(_:login:)`` with the Wi-Fi network: its codes are shown (``code(_:)``, ``codePNG(_:moduleSide:)``, in turn), and the camera
///   is waited for. When it does not come, nothing is kept, and `show` may be called again.
/// - ``cancel(by:)`` at any time: nothing is kept, and no task is left.
///
/// An app has one setup, which belongs to the one who has started it last. One whose owner has gone is cancelled after
/// ``CameraSetupTimes/absence``; see ``note(isThere:_:number:)``.
///
/// A camera that has joined is known by its identity alone, which anybody on the network can copy: that it takes the user and the
/// password is seen when it is connected. Secrets are in no state: they are forgotten as soon as the codes are no longer shown.
///
/// Calls take effect at once and in their order; only ``cancel(by:)`` waits.
public actor CameraSetup {
    /// The present state and each change.
    public nonisolated var state: Published<CameraSetupState> { current.published }

    private let current = CurrentValue(CameraSetupState())
    private let parts: CameraSetupParts
    private let times: CameraSetupTimes
    /// Counts what was asked for: what an earlier request still brings about counts for nothing.
    private var turn = 0
    /// The work on the last request, which begins when that of the one before has ended.
    private var work: Task<Void, Never>?
    private var symbols: [BarcodeSymbol] = []
    /// How often the owner came and went, as far as this was told.
    private var presence: [UUID: Int] = [:]
    /// Cancels the setup of an owner who does not come back.
    private let leaving = OwnedTasks()

    /// Sets up nothing yet.
    public init(_ parts: CameraSetupParts, times: CameraSetupTimes = CameraSetupTimes()) {
        (self.parts, self.times) = (parts, times)
    }

    // MARK: What is asked for

    /// Looks for the camera's label, and forgets all that was entered before, by whomever.
    public func start(by owner: UUID? = nil) {
        leaving.cancelAll()
        begin { number in
            await self.scan(number)
        } as: {
            ($0.step, $0.owner) = (.scanning, owner)
        }
    }

    /// Shows the codes for a Wi-Fi network, and waits for the camera to appear on it.
    ///
    /// - Parameters:
    ///   - access: The network.
    ///   - login: Who logs in to the camera; `nil` for what cameras accept until somebody changes it.
    /// - Throws: `wrongStep` before a label was read, `network` or `code`, which are in the state too.
    public func show(_ access: WiFiAccess, login: CameraLogin? = nil) throws(CameraSetupError) {
        let before = current.value
        guard let label = before.label, [.labelRead, .showingCode].contains(before.step) else {
            throw .wrongStep(before.step)
        }
        let login = login ?? parts.codes.pairing.factoryLogin
        do throws(CameraSetupError) {
            let symbols = try makeSymbols(access)
            let period = Int(parts.codes.pairing.codePeriod / .milliseconds(1))
            begin { number in
                await self.wait(label.device, login, number)
            } as: { state in
                (state.step, state.label, state.networkName) = (.showingCode, label, access.name)
                (state.owner, state.codesNumber) = (before.owner, turn)
                (state.codes, state.codeMilliseconds) = (symbols.count, period)
            }
            self.symbols = symbols
        } catch {
            current.update { $0.error = error }
            throw error
        }
    }

    private func makeSymbols(_ access: WiFiAccess) throws(CameraSetupError) -> [BarcodeSymbol] {
        let texts: [Secret]
        do { texts = try parts.codes.pairing.codes(for: access) } catch { throw .network(error) }
        var symbols: [BarcodeSymbol] = []
        for text in texts {
            do { symbols.append(try parts.codes.maker.symbol(of: text.reveal())) } catch {
                throw .code(error)
            }
        }
        return symbols
    }

    /// One of the codes that are shown, from 0; `nil` when none is.
    ///
    /// It says the network's password: it is for the screen, and to be kept nowhere.
    public func code(_ number: Int) -> BarcodeSymbol? {
        symbols.indices.contains(number) ? symbols[number] : nil
    }

    /// One of the codes that are shown, as a PNG file; `nil` when none is.
    ///
    /// - Parameters:
    ///   - number: Which one, from 0.
    ///   - moduleSide: Pixels along a side of a module, 1 to 32.
    public func codePNG(_ number: Int, moduleSide: Int = 8) -> [UInt8]? {
        code(number).flatMap { try? PNGEncoder.encode($0.picture(moduleSide: min(max(1, moduleSide), 32))) }
    }

    /// Ends the setup: what was entered is forgotten, and nothing more is kept.
    ///
    /// Returns when all has ended, the local camera released included. Idempotent.
    ///
    /// - Parameter owner: Whose setup is meant; `nil` for anybody's.
    public func cancel(by owner: UUID? = nil) async {
        guard owner == nil || owner == current.value.owner else { return }
        leaving.cancelAll()
        begin(nil) { $0.step = .idle }
        await work?.value
    }

    /// Notes that somebody has come or gone: the setup of an owner who stays away is cancelled.
    ///
    /// - Parameters:
    ///   - isThere: Whether the owner is there.
    ///   - owner: Who.
    ///   - number: Counts the notes of an owner, which may arrive in another order.
    public func note(isThere: Bool, _ owner: UUID, number: Int) {
        // The newest again, too: what was begun since has ended the wait for its owner.
        guard number >= presence[owner, default: 0], owner == current.value.owner else { return }
        presence = [owner: number]
        leaving.cancelAll()
        guard !isThere else { return }
        leaving.replace(with: [
            Task { [weak self, times] in
                guard (try? await Task.sleep(for: times.absence)) != nil else { return }
                await self?.giveUpAbsent(owner, number)
            }
        ])
    }

    private func giveUpAbsent(_ owner: UUID, _ number: Int) {
        guard presence[owner] == number, current.value.owner == owner else { return }
        begin(nil) { $0.step = .idle }
    }

    /// Clears the last error.
    ///
    /// Idempotent.
    public func dismissError() { current.update { $0.error = nil } }

    /// Starts the work on a request, with a state of its own, once the one before has ended.
    private func begin(
        _ body: (@Sendable (_ number: Int) async -> Void)?,
        as change: (inout CameraSetupState) -> Void
    ) {
        turn += 1
        let (number, before) = (turn, work)
        before?.cancel()
        symbols = []
        var state = CameraSetupState()
        change(&state)
        current.set(state)
        guard let body else { return }
        work = Task {
            await before?.value
            if self.isWanted(number) { await body(number) }
        }
    }

    private func isWanted(_ number: Int) -> Bool { number == turn && !Task.isCancelled }

    /// Changes the state for a request that still counts.
    @discardableResult
    private func update(_ number: Int, _ change: (inout CameraSetupState) -> Void) -> Bool {
        guard isWanted(number) else { return false }
        var state = current.value
        change(&state)
        if state != current.value { current.set(state) }
        return true
    }

    // MARK: The label

    private func scan(_ number: Int) async {
        let frames: any FrameStream
        do throws(CameraError) {
            frames = try await parts.openPictures()
        } catch {
            update(number) { ($0.step, $0.error) = (.idle, .pictures(error)) }
            return
        }
        let label = await look(frames, number)
        await parts.closePictures()
        update(number) { state in
            if let label {
                (state.step, state.label, state.error) = (.labelRead, label, nil)
            } else {
                (state.step, state.error) = (.idle, .pictures(.deviceNotFound))
            }
        }
    }

    /// The first label that is seen; `nil` when there are no pictures any more, or nobody wants it.
    private func look(_ frames: any FrameStream, _ number: Int) async -> CameraLabel? {
        while isWanted(number), let frame = await frames.next() {
            do throws(CameraSetupError) {
                if let label = try await Self.read(frame, parts.codes) { return label }
                // A picture without a code changes nothing, but that pictures can be read again.
                update(number) { if case .picture = $0.error { $0.error = nil } }
            } catch {
                update(number) { $0.error = error }
            }
            guard (try? await Task.sleep(for: times.look)) != nil else { return nil }
        }
        return nil
    }

    /// Looks for a label, which takes some milliseconds, in which the setup can be asked and cancelled.
    @concurrent
    private static func read(
        _ frame: VideoFrame,
        _ codes: CameraCodes
    ) async throws(CameraSetupError) -> CameraLabel? {
        let payloads: [BarcodePayload]
        do { payloads = try codes.reader.read(frame) } catch { throw .picture(error) }
        var refusal: CameraPairingError?
        for payload in payloads {
            do { return try codes.pairing.label(payload) } catch { refusal = error }
        }
        if let refusal { throw .label(refusal) }
        return nil
    }

    // MARK: The network

    private enum Event: Sendable {
        case found(DiscoveredCamera)
        case failed(CameraError)
        case timeOut
    }

    /// Waits until the camera answers a search.
    private func wait(_ device: String, _ login: CameraLogin, _ number: Int) async {
        let (events, reporter) = AsyncStream.makeStream(
            of: Event.self,
            bufferingPolicy: .bufferingNewest(256)
        )
        let isThere = await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.searchAgainAndAgain(reporter) }
            group.addTask { [times] in
                try? await Task.sleep(for: times.join)
                reporter.yield(.timeOut)
            }
            defer { group.cancelAll() }
            var failure: CameraError?
            for await event in events {
                switch event {
                case .found(let camera):
                    if parts.codes.pairing.device(camera.device) == device { return true }
                    note(camera, number)
                case .failed(let error): failure = error
                case .timeOut:
                    let seconds = Int(times.join / .seconds(1))
                    giveUp(.didNotJoin(device: device, seconds: seconds, searchFailure: failure), number)
                    return false
                }
            }
            return false
        }
        guard isThere && isWanted(number) else { return }
        symbols = []
        update(number) { ($0.step, $0.codes, $0.error) = (.joined, 0, nil) }
        await connect(CameraCredentials(device: device, user: login.user, password: login.password), number)
    }

    private func connect(_ credentials: CameraCredentials, _ number: Int) async {
        do throws(CameraError) {
            try await parts.connect(credentials) { await self.noteKept(number) }
            update(number) { $0.step = .finished }
        } catch  where current.value.step == .joined {
            giveUp(.notSaved(error), number)
        } catch {
            update(number) { state in
                if error.isOvertaken {
                    state.step = .finished
                } else {
                    (state.step, state.error) = (.idle, .notConnected(error))
                }
            }
        }
    }

    private func noteKept(_ number: Int) { update(number) { $0.step = .connecting } }

    /// Back to the network's name and password.
    private func giveUp(_ error: CameraSetupError, _ number: Int) {
        guard isWanted(number) else { return }
        symbols = []
        update(number) { state in
            (state.step, state.codes, state.error) = (.labelRead, 0, error)
        }
    }

    private static let searchPause = Duration.seconds(1)

    private func searchAgainAndAgain(_ reporter: AsyncStream<Event>.Continuation) async {
        while !Task.isCancelled {
            do throws(CameraError) {
                try await parts.engine.cameras().search(for: times.search) { reporter.yield(.found($0)) }
            } catch {
                reporter.yield(.failed(error))
            }
            // What ends at once, by a failure or by strangers who answer, would be repeated without end in no time.
            try? await Task.sleep(for: Self.searchPause)
        }
    }

    /// How many cameras are shown: answers can be forged.
    private static let mostFound = 64

    private func note(_ camera: DiscoveredCamera, _ number: Int) {
        update(number) { state in
            guard state.others.count < Self.mostFound, !state.others.contains(camera) else { return }
            state.others.append(camera)
        }
    }
}
