internal import AppKernel
internal import Concurrency
public import Services

/// The camera of the network: how it is found, set up and made.
///
/// Whether one is set up is decided by what the secret store has. The engine is started when it is first needed: by a launch with this
/// camera chosen, by a search, or when the camera is connected.
public struct NetworkCamera: Sendable {
    /// What reaches it.
    public let engine: DeviceEngine
    /// How to log in to it.
    public let key: CameraKey

    package init(_ engine: DeviceEngine, _ key: CameraKey) {
        (self.engine, self.key) = (engine, key)
    }

    /// Looks for cameras; none found is no error.
    ///
    /// - Parameters:
    ///   - window: For how long.
    ///   - found: Called once for each camera.
    /// - Throws: `CameraError`; `unknown` with a `CancellationError` for a search that was cancelled.
    public func search(
        for window: Duration,
        found: @escaping @Sendable (DiscoveredCamera) async -> Void
    ) async throws(CameraError) {
        try await engine.cameras().search(for: window, found: found)
    }

    /// Makes the camera, which reads its credentials each time it connects.
    package func make(_ size: PixelSize) async throws(CameraError) -> any CameraSource {
        try await engine.cameras().camera(size: size) { try await credentials() }
    }

    /// Looks whether the camera is set up; returns what says that it is not, and no other trouble of the store, which shows when the camera
    /// is connected.
    @concurrent
    @discardableResult
    public func needsSetUp() async -> CameraNotSetUp? {
        do throws(SecretStoreError) { return try key.read() == nil ? CameraNotSetUp() : nil } catch {
            if case .unreadable = error { return CameraNotSetUp(cause: error) }
            return nil
        }
    }

    /// Keeps credentials, and connects the camera with them.
    ///
    /// A set-up that fails changes nothing that was seen before: another camera that was chosen is chosen again. What was kept before is
    /// kept again where the credentials can never be right, such as those with a wrong password, and where the calling task is
    /// cancelled.
    ///
    /// - Parameter kept: Called once they are kept, before the camera is connected.
    /// - Throws: `unknown` with a `SecretStoreError` where they cannot be kept, so that nothing is changed; else what
    ///   ``CameraRouter/switchTo(_:)`` throws.
    package func setUp(
        _ credentials: CameraCredentials,
        on camera: CameraRouter,
        kept: @Sendable () async -> Void = {}
    ) async throws(CameraError) {
        let (former, choice): (CameraCredentials?, CameraRouter.Choice)
        do throws(SecretStoreError) {
            (former, choice) = (try await present(), await camera.choice)
        } catch {
            throw .unknown(error)
        }
        do throws(SecretStoreError) { try await keep(credentials) } catch { throw .unknown(error) }
        await kept()
        do throws(CameraError) {
            guard !Task.isCancelled else { throw .cancelled }
            // One that is connected has other credentials.
            if camera.status.value.source == .veepaWiFi { await camera.disconnect() }
            try await camera.switchTo(.veepaWiFi)
            guard !Task.isCancelled else { throw .cancelled }
        } catch {
            if Task.isCancelled {
                try? await keep(former)
                await camera.restore(choice)
            } else if choice.source != .veepaWiFi, !error.isOvertaken {
                await restore(choice, on: camera)
            }
            if !Task.isCancelled, case .unknown(let cause as any ExplainedError) = error,
                !cause.explanation.mayPass
            {
                try? await keep(former)
            }
            throw error
        }
    }

    /// Chooses the camera again that was chosen before, also for a stream that has lost it meanwhile.
    private func restore(_ choice: CameraRouter.Choice, on camera: CameraRouter) async {
        if choice.isOn, await camera.isNeededByStream {
            try? await camera.switchTo(choice.source)
        } else {
            await camera.restore(choice)
        }
    }

    /// What is kept, as far as it can be read.
    @concurrent
    func kept() async -> CameraCredentials? { try? key.read() }

    /// What is kept; `nil` also where it is damaged, and can never be read.
    ///
    /// - Throws: Where it may be read at another time: what is kept now must not be taken for nothing.
    @concurrent
    private func present() async throws(SecretStoreError) -> CameraCredentials? {
        do throws(SecretStoreError) { return try key.read() } catch {
            if case .unreadable = error { return nil }
            throw error
        }
    }

    /// Keeps credentials; `nil` deletes them.
    @concurrent
    func keep(_ credentials: CameraCredentials?) async throws(SecretStoreError) { try key.write(credentials) }

    @concurrent
    private func credentials() async throws(CameraError) -> CameraCredentials {
        let kept: CameraCredentials?
        do throws(SecretStoreError) { kept = try key.read() } catch {
            if case .unreadable = error { throw .unknown(CameraNotSetUp(cause: error)) }
            throw .unknown(error)
        }
        guard let kept else { throw .unknown(CameraNotSetUp()) }
        return kept
    }
}
