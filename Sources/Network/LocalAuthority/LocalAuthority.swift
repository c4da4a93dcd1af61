import Crypto
import Foundation
public import LiveTransport
import SwiftASN1
import X509

/// A certificate authority that exists for one run, and what it has signed: the certificate of one server.
///
/// The authority's private key is released with the initializer that made it and written nowhere, so trusting its certificate
/// trusts this one server only.
public struct LocalAuthority: Sendable {
    /// The authority's certificate, as PEM.
    public let rootPEM: String
    /// The server's certificate and key.
    public let identity: ServerIdentity

    /// The longest that Apple's clients accept from an authority of one's own is 825 days.
    private static let lifetime: TimeInterval = 397 * 86_400
    /// Clocks of clients may be this late.
    private static let clockTolerance: TimeInterval = 3600

    /// Makes keys and certificates.
    ///
    /// - Parameter host: A name or an address by which clients reach the server, besides `localhost`, 127.0.0.1 and ::1.
    /// - Throws: What swift-certificates throws; none is expected.
    public init(host: String) throws {
        let now = Date()
        let (start, end) = (now - Self.clockTolerance, now + Self.lifetime)

        let rootKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let rootName = try DistinguishedName {
            OrganizationName("LensSim")
            CommonName("LensSim local authority \(UUID().uuidString)")
        }
        let root = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: rootKey.publicKey,
            notValidBefore: start,
            notValidAfter: end,
            issuer: rootName,
            subject: rootName,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: rootKey.publicKey)
            },
            issuerPrivateKey: rootKey
        )

        let leafKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let leaf = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: leafKey.publicKey,
            notValidBefore: start,
            notValidAfter: end,
            issuer: rootName,
            subject: try DistinguishedName { CommonName("localhost") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectKeyIdentifier(hash: leafKey.publicKey)
                // Python 3.13 and later refuse a certificate without it.
                AuthorityKeyIdentifier(
                    keyIdentifier: SubjectKeyIdentifier(hash: rootKey.publicKey).keyIdentifier
                )
                SubjectAlternativeNames(Self.names(with: host))
            },
            issuerPrivateKey: rootKey
        )

        rootPEM = try root.serializeAsPEM().pemString + "\n"
        identity = ServerIdentity(
            certificateChain: .bytes(Array(try leaf.serializeAsPEM().pemString.utf8)),
            privateKey: .bytes(Array(try leafKey.serializeAsPEM().pemString.utf8))
        )
    }

    /// The names of this machine for itself, and the host's.
    private static func names(with host: String) -> [GeneralName] {
        var names = ["localhost", "127.0.0.1", "::1"]
        if !names.contains(host) { names.append(host) }
        return names.map { name in
            if let bytes = addressBytes(name) {
                return .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
            }
            return .dnsName(name)
        }
    }

    /// The bytes of a literal IPv4 or IPv6 address, in network order.
    private static func addressBytes(_ text: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if unsafe inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }
}
