import NIOSSL
import Transport

extension LiveTransport {
    /// Trust and bounds of a live transport.
    public struct Configuration: Sendable {
        /// Roots that are trusted besides the system's, for servers with certificates of one's own.
        public var extraTrustedRoots: [PEMSource]
        /// How long an unused HTTP connection is kept for the next request.
        public var idleConnectionTimeout: Duration
        /// How long `WebSocket.close(_:)` waits for the peer's part of the closing handshake.
        public var closeTimeout: Duration
        /// Datagrams received and not yet read, after which the oldest is dropped.
        public var bufferedDatagrams: Int
        /// The interface on which multicast is sent and received, such as `lo`; `nil` leaves it to the system.
        public var multicastInterface: String?

        /// Makes a configuration that trusts the system's roots alone.
        public init(
            extraTrustedRoots: [PEMSource] = [],
            idleConnectionTimeout: Duration = .seconds(60),
            closeTimeout: Duration = .seconds(5),
            bufferedDatagrams: Int = 1024,
            multicastInterface: String? = nil
        ) {
            self.extraTrustedRoots = extraTrustedRoots
            self.idleConnectionTimeout = idleConnectionTimeout
            self.closeTimeout = closeTimeout
            self.bufferedDatagrams = bufferedDatagrams
            self.multicastInterface = multicastInterface
        }

        /// Full verification of chain and host name, against the system's roots and the extra ones.
        func clientTLS() throws(TransportError) -> TLSConfiguration {
            var tls = TLSConfiguration.makeClientConfiguration()
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
            return tls
        }
    }
}
