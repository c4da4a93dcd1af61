public import Services

/// Everything that the setup of a wireless camera uses.
public struct CameraSetupParts: Sendable {
    /// Gives the pictures of the local camera, which it connects where it is not.
    ///
    /// One frame should wait at most: the setup looks at the newest.
    public var openPictures: @Sendable () async throws(CameraError) -> any FrameStream
    /// Releases the local camera: called once for each opening that did not throw, also in a cancelled task.
    public var closePictures: @Sendable () async -> Void
    /// Reads labels, and makes codes.
    public var codes: CameraCodes
    /// Searches the network.
    public var engine: DeviceEngine
    /// Keeps the credentials of a camera that has joined, calls `kept`, and connects the camera with them.
    ///
    /// It is cancelled when the setup is started again or cancelled: what was kept before is kept again then. It must wait for neither
    /// itself.
    public var connect:
        @Sendable (
            _ credentials: CameraCredentials,
            _ kept: @escaping @Sendable () async -> Void
        ) async throws(CameraError) -> Void

    /// Collects the parts.
    public init(
        openPictures: @escaping @Sendable () async throws(CameraError) -> any FrameStream,
        closePictures: @escaping @Sendable () async -> Void,
        codes: CameraCodes,
        engine: DeviceEngine,
        connect:
            @escaping @Sendable (
                _ credentials: CameraCredentials,
                _ kept: @escaping @Sendable () async -> Void
            ) async throws(CameraError) -> Void
    ) {
        (self.openPictures, self.closePictures, self.connect) = (openPictures, closePictures, connect)
        (self.codes, self.engine) = (codes, engine)
    }
}

/// How long things take in the setup of a wireless camera.
public struct CameraSetupTimes: Sendable, Hashable {
    /// Between two looks at the local camera's picture.
    public var look: Duration = .milliseconds(200)
    /// How long a camera may take from the first code that is shown to its appearance on the network; the vendor's application gives
    /// up after a minute.
    public var join: Duration = .seconds(120)
    /// One search, while a camera is waited for; then the next begins, so that strangers who answer do not fill it.
    public var search: Duration = .seconds(10)
    /// How long a setup goes on whose owner has gone, such as a page that is loaded again.
    public var absence: Duration = .seconds(30)

    /// The usual times.
    public init() {}
}
