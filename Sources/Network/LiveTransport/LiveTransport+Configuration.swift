import NIOSSL
import Transport

extension LiveTransport {
    /// Trust and bounds of a live transport.
    public struct Configuration: Sendable {
        /// Roots that are trusted besides the system's, for servers with certificates of one's own.
        public var extraTrustedRoots: [PEMSource]
        /// How long an unused HTTP connection is kept for the next request.
        ///
        /// Well below the time that servers keep one (nginx 75 s, Apache from 5 s, ours 60 s): the connection that a server
        /// closes while a request is on its way to it is lost, and the request with it.
        public var idleConnectionTimeout: Duration
        /// The longest attempt to connect for a request.
        ///
        /// A request whose own limit is longer has further ones, each with a new connection.
        public var connectTimeout: Duration
        /// How long `WebSocket.close(_:)` waits for the peer's part of the closing handshake.
        public var closeTimeout: Duration
        /// The roots that this machine trusts; others only in tests.
        var machineRoots = NIOSSLTrustRoots.default

        /// Makes a configuration that trusts the system's roots alone.
        public init(
            extraTrustedRoots: [PEMSource] = [],
            idleConnectionTimeout: Duration = .seconds(15),
            connectTimeout: Duration = .seconds(30),
            closeTimeout: Duration = .seconds(5)
        ) {
            self.extraTrustedRoots = extraTrustedRoots
            self.idleConnectionTimeout = idleConnectionTimeout
            self.connectTimeout = connectTimeout
            self.closeTimeout = closeTimeout
        }

        /// Full verification of chain and host name, against the system's roots and the extra ones.
        func clientTLS() throws(TransportError) -> ClientTLS {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = machineRoots
            // RFC 8996: TLS 1.0 and 1.1 must not be used.
            tls.minimumTLSVersion = .tlsv12
            for source in extraTrustedRoots {
                do {
                    tls.additionalTrustRoots.append(.certificates(try source.certificates()))
                } catch {
                    throw TransportError(
                        .certificateRejected,
                        operation: "read trusted root",
                        peer: source.name,
                        detail: "not readable as PEM certificates"
                    )
                }
            }
            do {
                return ClientTLS(configuration: tls, context: try NIOSSLContext(configuration: tls))
            } catch {
                // Images of containers often have no certificates, which plain connections and servers of one's own do without.
                // Every other server is refused then, with this error.
                let alone = tls.withoutTrustOfTheMachine
                guard let context = try? NIOSSLContext(configuration: alone) else {
                    throw TransportError(
                        .certificateRejected,
                        operation: "prepare TLS",
                        peer: "trusted roots",
                        detail: "\(error)"
                    )
                }
                return ClientTLS(configuration: alone, context: context, machineFailure: "\(error)")
            }
        }
    }
}

/// What connections of a live transport verify servers with.
struct ClientTLS: Sendable {
    var configuration: TLSConfiguration
    var context: NIOSSLContext
    /// Why the machine's roots are not among the trusted ones; `nil` where they are.
    var machineFailure: String?

    /// An error, with the reason why no server of the Internet can be verified, where that may be its own.
    func explained(_ error: TransportError) -> TransportError {
        guard error.code == .certificateRejected, let machineFailure else { return error }
        var explained = error
        explained.detail += "; this machine's trusted certificates could not be loaded: \(machineFailure)"
        return explained
    }
}

extension TLSConfiguration {
    fileprivate var withoutTrustOfTheMachine: Self {
        var copy = self
        copy.trustRoots = .certificates([])
        return copy
    }
}
