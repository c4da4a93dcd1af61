import PPPP
public import Services
public import Transport

/// The Wi-Fi cameras of the VStarcam family on a network.
public struct VeepaCameras: WirelessCameras {
    private let network: any DatagramNetwork
    private let options: VeepaOptions

    /// - Parameters:
    ///   - network: Where sockets are bound.
    ///   - options: How cameras are looked for; the quality of pictures follows from the wanted size instead.
    public init(network: any DatagramNetwork, options: VeepaOptions = VeepaOptions()) {
        (self.network, self.options) = (network, options)
    }

    /// Makes a ``VeepaCamera`` that is not connected; such cameras know three qualities, not sizes.
    public func camera(
        size: PixelSize,
        credentials: @escaping @Sendable () async throws -> CameraCredentials?
    ) -> any CameraSource {
        var options = options
        options.quality = size.width >= 1280 ? .high : size.width >= 640 ? .general : .low
        return VeepaCamera(network: network, options: options) {
            try await credentials().map { (credentials) throws in try VeepaCredentials(credentials) }
        }
    }

    /// Looks for cameras of the family: a question each second in every form that they understand.
    ///
    /// At most ``mostFound`` are found, so that nobody fills the memory with answers.
    public func search(
        for window: Duration,
        found: @escaping @Sendable (DiscoveredCamera) async -> Void
    ) async throws(CameraError) {
        func failure(_ detail: String) -> CameraError {
            .unknown(VeepaConnectionError(.network, operation: "look for cameras", detail: detail))
        }
        let place: CameraPlace
        do throws(TransportError) { place = try await network.bindForCameras(options) } catch {
            throw failure(error.code.rawValue)
        }
        let hasAsked = await CameraSearch(place).run(for: window, most: Self.mostFound, found: found)
        await place.socket.close()
        if Task.isCancelled { throw .unknown(CancellationError()) }
        if !hasAsked { throw failure("nothing could be sent or received") }
    }

    /// How many cameras one search finds.
    public static let mostFound: Int = 64
}
