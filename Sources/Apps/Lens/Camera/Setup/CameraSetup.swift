public import AppKernel
internal import PNG
public import Services

/// Sets up a wireless camera: from the code on its label to credentials that are kept, with which the app connects it.
///
/// ```
/// idle → scanning → labelRead → showingCode → joined → finished
///                       ↑            ↓ not joined in time
///                       └────────────┘
/// any  → choosing ───────────────────────────────────→ finished
/// ```
///
/// A screen shows ``state`` and calls:
/// - ``start()``: the local camera looks for the label; codes that are none of a camera are an error in the state, and the search goes on.
/// - ``show(_:login:)`` with the Wi-Fi network: its codes are shown (``code(_:)``, ``codePNG(_:moduleSide:)``, in turn), and the camera
///   is waited for. When it does not come, nothing is kept, and `show` may be called again.
/// - ``discover()`` and ``choose(_:login:)`` instead, for a camera that is on the network already.
/// - ``cancel()`` at any time: nothing is kept, and no task is left.
///
/// An app that uses it asks ``credentials()`` whenever it connects the wireless camera, which starts the setup where there are none; `LensApp` does not
/// use it yet.
///
/// A camera that has joined is known by its identity alone, which anybody on the network can copy: that it takes the user and the
/// password is seen when it is connected. Secrets are in no state: they are forgotten as soon as the codes are no longer shown.
///
/// Calls take effect at once and in their order; only ``cancel()`` waits.
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

    /// Sets up nothing yet.
    public init(_ parts: CameraSetupParts, times: CameraSetupTimes = CameraSetupTimes()) {
        (self.parts, self.times) = (parts, times)
    }

    // MARK: What is asked for

    /// The credentials to connect with; where there are none, or none that can be read, the setup starts.
    ///
    /// - Returns: `nil` when the camera has to be set up first: there is nothing to connect yet.
    /// - Throws: What the store throws when it cannot be read at all, since what it keeps may be there.
    public func credentials() throws(SecretStoreError) -> CameraCredentials? {
        do throws(SecretStoreError) {
            if let kept = try parts.key.read() { return kept }
            startUnlessUnderway(nil)
        } catch .unreadable(_, let detail) {
            startUnlessUnderway(.unreadableCredentials(detail))
        }
        return nil
    }

    private func startUnlessUnderway(_ error: CameraSetupError?) {
        guard [.idle, .finished].contains(current.value.step) else { return }
        start()
        current.update { $0.error = error }
    }

    /// Looks for the camera's label, and forgets all that was entered before.
    public func start() {
        begin { number in
            await self.scan(number)
        } as: {
            $0.step = .scanning
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
        let login = login ?? parts.pairing.factoryLogin
        do throws(CameraSetupError) {
            guard !login.user.isEmpty else { throw .noUser }
            let symbols = try makeSymbols(access)
            let period = Int(parts.pairing.codePeriod / .milliseconds(1))
            begin { number in
                await self.wait(label.device, login, number)
            } as: { state in
                (state.step, state.label, state.networkName) = (.showingCode, label, access.name)
                (state.codes, state.codeMilliseconds) = (symbols.count, period)
                state.isSearching = true
            }
            self.symbols = symbols
        } catch {
            current.update { $0.error = error }
            throw error
        }
    }

    private func makeSymbols(_ access: WiFiAccess) throws(CameraSetupError) -> [BarcodeSymbol] {
        let texts: [Secret]
        do { texts = try parts.pairing.codes(for: access) } catch { throw .network(error) }
        var symbols: [BarcodeSymbol] = []
        for text in texts {
            do { symbols.append(try parts.maker.symbol(of: text.reveal())) } catch { throw .code(error) }
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

    /// Searches the network for cameras to choose from; again, when it is called again.
    ///
    /// None found is no error.
    public func discover() {
        begin { number in
            await self.search(number)
        } as: {
            ($0.step, $0.isSearching) = (.choosing, true)
        }
    }

    /// Keeps a camera that is on the network already, found or known by its identity.
    ///
    /// - Throws: `wrongStep` outside a setup, `notADevice`, `noUser` or `notSaved`, which are in the state too.
    public func choose(_ device: String, login: CameraLogin) throws(CameraSetupError) {
        let step = current.value.step
        guard [.scanning, .labelRead, .showingCode, .choosing].contains(step) else { throw .wrongStep(step) }
        do throws(CameraSetupError) {
            guard let device = parts.pairing.device(device) else { throw .notADevice }
            guard !login.user.isEmpty else { throw .noUser }
            try keep(device, login)
        } catch {
            current.update { $0.error = error }
            throw error
        }
        begin { _ in
            await self.parts.connect()
        } as: {
            $0.step = .finished
        }
    }

    /// Ends the setup: what was entered is forgotten, and nothing more is kept.
    ///
    /// Returns when all has ended, the local camera released included. Harmless when repeated.
    public func cancel() async {
        begin(nil) { $0.step = .idle }
        await work?.value
    }

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
            update(number) { ($0.step, $0.error) = (.idle, .pictures(error.description)) }
            return
        }
        let label = await look(frames, number)
        await parts.closePictures()
        update(number) { state in
            if let label {
                (state.step, state.label, state.error) = (.labelRead, label, nil)
            } else {
                (state.step, state.error) = (.idle, .pictures("the camera gives no pictures any more"))
            }
        }
    }

    /// The first label that is seen; `nil` when there are no pictures any more, or nobody wants it.
    private func look(_ frames: any FrameStream, _ number: Int) async -> CameraLabel? {
        while isWanted(number), let frame = await frames.next() {
            do throws(CameraSetupError) {
                if let label = try read(frame) { return label }
                // A picture without a code changes nothing, but that pictures can be read again.
                update(number) { if case .picture = $0.error { $0.error = nil } }
            } catch {
                update(number) { $0.error = error }
            }
            guard (try? await Task.sleep(for: times.look)) != nil else { return nil }
        }
        return nil
    }

    private func read(_ frame: VideoFrame) throws(CameraSetupError) -> CameraLabel? {
        let payloads: [BarcodePayload]
        do { payloads = try parts.reader.read(frame) } catch { throw .picture(error) }
        var refusal: CameraPairingError?
        for payload in payloads {
            do { return try parts.pairing.label(payload) } catch { refusal = error }
        }
        if let refusal { throw .label(refusal) }
        return nil
    }

    // MARK: The network

    private enum Event: Sendable {
        case found(DiscoveredCamera)
        case failed(String)
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
            var failure: String?
            for await event in events {
                switch event {
                case .found(let camera):
                    if parts.pairing.device(camera.device) == device { return true }
                    note(camera, number)
                case .failed(let detail): failure = detail
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
        update(number) { ($0.step, $0.codes, $0.isSearching, $0.error) = (.joined, 0, false, nil) }
        do throws(CameraSetupError) { try keep(device, login) } catch { return giveUp(error, number) }
        update(number) { $0.step = .finished }
        await parts.connect()
    }

    /// Back to the network's name and password.
    private func giveUp(_ error: CameraSetupError, _ number: Int) {
        guard isWanted(number) else { return }
        symbols = []
        update(number) { state in
            (state.step, state.codes, state.isSearching, state.error) = (.labelRead, 0, false, error)
        }
    }

    private static let searchPause = Duration.seconds(1)

    private func searchAgainAndAgain(_ reporter: AsyncStream<Event>.Continuation) async {
        while !Task.isCancelled {
            do throws(CameraError) {
                try await searchOnce(for: times.search) { reporter.yield(.found($0)) }
            } catch {
                reporter.yield(.failed(error.description))
            }
            // What ends at once, by a failure or by strangers who answer, would be repeated without end in no time.
            try? await Task.sleep(for: Self.searchPause)
        }
    }

    private func searchOnce(
        for window: Duration,
        found: @escaping @Sendable (DiscoveredCamera) async -> Void
    ) async throws(CameraError) {
        // The start of the engine goes on when its caller is cancelled; the setup does not wait for it then.
        let start = SharedTask<Result<any WirelessCameras, CameraError>> { [engine = parts.engine] _ in
            do throws(CameraError) { return .success(try await engine.cameras()) } catch {
                return .failure(error)
            }
        }
        guard let cameras = try await start.value()?.get() else { throw .cancelled }
        try await cameras.search(for: window, found: found)
    }

    private func search(_ number: Int) async {
        var failure: CameraSetupError?
        do throws(CameraError) {
            try await searchOnce(for: times.discovery) { camera in await self.note(camera, number) }
        } catch {
            failure = .search(error.description)
        }
        update(number) { ($0.isSearching, $0.error) = (false, failure) }
    }

    /// How many cameras are shown: answers can be forged.
    private static let mostFound = 64

    private func note(_ camera: DiscoveredCamera, _ number: Int) {
        update(number) { state in
            guard state.found.count < Self.mostFound, !state.found.contains(camera) else { return }
            state.found.append(camera)
        }
    }

    private func keep(_ device: String, _ login: CameraLogin) throws(CameraSetupError) {
        let credentials = CameraCredentials(device: device, user: login.user, password: login.password)
        do { try parts.key.write(credentials) } catch { throw .notSaved(error.description) }
    }
}
