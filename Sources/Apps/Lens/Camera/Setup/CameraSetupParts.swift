public import Services

/// Everything that the setup of a wireless camera uses.
public struct CameraSetupParts: Sendable {
    /// Gives the pictures of the local camera, which it connects where it is not.
    ///
    /// One frame should wait at most: the setup looks at the newest.
    public var openPictures: @Sendable () async throws(CameraError) -> any FrameStream
    /// Releases the local camera: called once for each opening that did not throw, also in a cancelled task.
    public var closePictures: @Sendable () async -> Void
    /// Reads the label.
    public var reader: any BarcodeReader
    /// Makes the codes for the camera.
    public var maker: any BarcodeMaker
    /// Knows what labels and codes say.
    public var pairing: any CameraPairing
    /// Searches the network.
    public var engine: DeviceEngine
    /// Where the credentials are kept.
    public var key: CameraKey
    /// Connects the camera: called each time that credentials were kept.
    ///
    /// It is cancelled when the setup is started again or cancelled; it must wait for neither itself.
    public var connect: @Sendable () async -> Void

    /// Collects the parts.
    public init(
        openPictures: @escaping @Sendable () async throws(CameraError) -> any FrameStream,
        closePictures: @escaping @Sendable () async -> Void,
        reader: any BarcodeReader,
        maker: any BarcodeMaker,
        pairing: any CameraPairing,
        engine: DeviceEngine,
        key: CameraKey,
        connect: @escaping @Sendable () async -> Void
    ) {
        (self.openPictures, self.closePictures, self.connect) = (openPictures, closePictures, connect)
        (self.reader, self.maker, self.pairing) = (reader, maker, pairing)
        (self.engine, self.key) = (engine, key)
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
    /// The search among whose answers a camera is chosen.
    public var discovery: Duration = .seconds(5)

    /// The usual times.
    public init() {}
}
