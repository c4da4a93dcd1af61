import Transport

/// A socket that can reach the cameras of the local network.
struct CameraPlace {
    let socket: any DatagramSocket
    /// Where cameras are searched.
    let targets: [Endpoint]
    /// The socket's addresses on the networks of this host.
    let own: [Endpoint]
}

extension DatagramNetwork {
    /// Binds a socket as `options` say.
    func bindForCameras(_ options: VeepaOptions) async throws(TransportError) -> CameraPlace {
        var targets = options.searchTargets ?? []
        let interfaces = (try? await interfaces()) ?? []
        if options.searchTargets == nil {
            let addresses = interfaces.flatMap(\.broadcastAddresses)
            targets = (addresses.isEmpty ? [.broadcast] : addresses).map {
                Endpoint($0, port: VeepaOptions.searchPort)
            }
        }
        let socket = try await bind(
            options.localAddress,
            options: DatagramOptions(allowsBroadcast: true, receiveBufferBytes: 1024 * 1024)
        )
        let addresses = interfaces.filter { !$0.isLoopback }.flatMap(\.addresses).map(\.address)
        let local = socket.localAddress
        let own =
            local.address.isUnspecified
            ? addresses.filter { $0.version == .v4 }.map { Endpoint($0, port: local.port) } : [local]
        return CameraPlace(socket: socket, targets: targets, own: own)
    }
}
