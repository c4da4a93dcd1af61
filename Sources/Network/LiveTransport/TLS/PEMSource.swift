import NIOSSL
import Transport

/// Where PEM text with certificates or a private key comes from.
///
/// Prints without its content, which may be a private key.
public enum PEMSource: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The text itself, in ASCII.
    case bytes([UInt8])
    /// The path of a file that holds the text.
    case file(String)

    /// What it is, never its content.
    public var description: String { name }
    /// The same as the description.
    public var debugDescription: String { name }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Reads all certificates, in order.
    func certificates() throws -> [NIOSSLCertificate] {
        switch self {
        case .bytes(let bytes): try NIOSSLCertificate.fromPEMBytes(bytes)
        case .file(let path): try NIOSSLCertificate.fromPEMFile(path)
        }
    }

    /// Reads an unencrypted private key.
    func privateKey() throws -> NIOSSLPrivateKey {
        switch self {
        case .bytes(let bytes): try NIOSSLPrivateKey(bytes: bytes, format: .pem)
        case .file(let path): try NIOSSLPrivateKey(file: path, format: .pem)
        }
    }

    /// How errors name it; never its content.
    var name: String {
        switch self {
        case .bytes(let bytes): "PEM text of \(bytes.count) bytes"
        case .file(let path): path
        }
    }
}
