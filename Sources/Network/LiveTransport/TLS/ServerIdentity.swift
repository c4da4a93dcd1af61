package import NIOSSL
package import Transport

/// With what a TLS server proves who it is.
public struct ServerIdentity: Sendable, Hashable {
    /// The server's certificate, followed by intermediate ones.
    public var certificateChain: PEMSource
    /// The unencrypted private key of the first certificate.
    public var privateKey: PEMSource

    /// Makes an identity of a certificate chain and its key.
    public init(certificateChain: PEMSource, privateKey: PEMSource) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }

    /// Reads the files.
    ///
    /// - Parameter protocols: What the server speaks, for clients that ask in the handshake (ALPN); one that does not ask is served as well.
    /// - Throws: `certificateRejected` when one of them cannot be read or used.
    package func context(protocols: [String] = []) throws(TransportError) -> NIOSSLContext {
        do {
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: try certificateChain.certificates().map { .certificate($0) },
                privateKey: .privateKey(try privateKey.privateKey())
            )
            // RFC 8996: TLS 1.0 and 1.1 must not be used.
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = protocols
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw TransportError(
                .certificateRejected,
                operation: "load server identity",
                peer: certificateChain.name,
                detail: "not a usable PEM certificate chain with its key"
            )
        }
    }
}
