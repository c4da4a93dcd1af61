import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Transport

extension TransportError {
    /// Says in our words what a lower layer reported.
    ///
    /// The detail is made of the layer's own fixed phrases, host names and error numbers: never of a URL's
    /// query or of header values.
    init(cause: any Error, operation: String, peer: String) {
        if let known = cause as? TransportError {
            self = known
            return
        }
        let (code, detail) = Self.judge(cause)
        let reach: Reach? = Self.precedesRequest(cause) ? .notSent : nil
        self.init(code, operation: operation, peer: peer, detail: detail, reach: reach)
    }

    /// Whether the failure is one of opening a connection, so that nothing was sent on it.
    private static func precedesRequest(_ cause: any Error) -> Bool {
        switch cause {
        case let error as HTTPClientError:
            [.connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout, .alreadyShutdown]
                .contains(error)
        case is NIOConnectionError, is NIOSSLExtraError, is SocketAddressError,
            is SocketAddressError.UnknownHost, ChannelError.connectTimeout:
            true
        case NIOSSLError.handshakeFailed: true
        default: false
        }
    }

    /// Whether an attempt to connect has taken longer than the configuration allows one.
    static func isLateConnection(_ cause: any Error) -> Bool {
        precedesRequest(cause) && judge(cause).code == .timedOut
    }

    /// Whether the pool gave a request a connection that closed before it could write to it.
    static func isClosedConnection(_ cause: any Error) -> Bool {
        switch cause {
        case ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed: true
        default: false
        }
    }

    /// Whether the pool gave a request that nobody cancelled a connection of HTTP/2 that was closing, and wrote nothing of it
    /// (AsyncHTTPClient's HTTP2Connection.executeRequest0).
    ///
    /// A pool that was shut down says so only when it is asked again.
    static func isClosingConnection(_ cause: any Error) -> Bool {
        (cause as? HTTPClientError) == .cancelled
    }

    private static func judge(_ cause: any Error) -> (code: Code, detail: String) {
        switch cause {
        case is CancellationError: (.cancelled, "the calling task was cancelled")
        case let error as HTTPClientError: judge(error)
        case let error as NIOConnectionError: judge(error)
        case let error as IOError: judge(error)
        case let error as ChannelError: judge(error)
        case let error as NIOSSLError: judge(error)
        case is NIOSSLExtraError: (.certificateRejected, "the certificate is for another host")
        case is NIOTLSUnwrappingError, is NIOSSLCloseTimedOutError: (.reset, "TLS did not end cleanly")
        case is SocketAddressError, is SocketAddressError.UnknownHost:
            (.unreachable, "the host name could not be resolved")
        case HTTPParserError.invalidEOFState: (.reset, "the connection ended inside a message")
        case let error as HTTPParserError: (.protocolViolation, "malformed HTTP: \(error)")
        default: (.reset, "\(type(of: cause))")
        }
    }

    private static func judge(_ error: HTTPClientError) -> (Code, String) {
        switch error {
        case .cancelled: (.cancelled, "the request was cancelled")
        case .readTimeout, .writeTimeout, .connectTimeout, .tlsHandshakeTimeout, .deadlineExceeded,
            .getConnectionFromPoolTimeout:
            (.timedOut, error.shortDescription)
        case .remoteConnectionClosed, .uncleanShutdown, .requestStreamCancelled:
            (.reset, error.shortDescription)
        case .alreadyShutdown: (.closed, "this transport was shut down")
        default: (.protocolViolation, error.shortDescription)
        }
    }

    private static func judge(_ error: NIOConnectionError) -> (Code, String) {
        // Every address of the name was tried; the last failure tells most.
        if let last = error.connectionErrors.last { return judge(last.error) }
        return (.unreachable, "the host name could not be resolved")
    }

    private static func judge(_ error: IOError) -> (Code, String) {
        let code: Code =
            switch error.errnoCode {
            case ECONNREFUSED: .refused
            case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN: .unreachable
            case ETIMEDOUT: .timedOut
            case EADDRINUSE, EADDRNOTAVAIL, EACCES: .addressUnavailable
            case EMSGSIZE: .tooLarge
            case EBADF: .closed
            default: .reset
            }
        return (code, "\(unsafe String(cString: strerror(error.errnoCode)))")
    }

    private static func judge(_ error: ChannelError) -> (Code, String) {
        switch error {
        case .connectTimeout: (.timedOut, "no connection in time")
        case .alreadyClosed, .ioOnClosedChannel: (.closed, "the channel is closed")
        case .writeMessageTooLarge: (.tooLarge, "more than one datagram holds")
        case .illegalMulticastAddress: (.addressUnavailable, "not a multicast address")
        default: (.reset, "\(error)")
        }
    }

    private static func judge(_ error: NIOSSLError) -> (Code, String) {
        switch error {
        case .handshakeFailed(.sslError(let stack)):
            // BoringSSL reports every verification failure under this reason (ssl/ssl.errordata).
            stack.contains { "\($0)".contains("CERTIFICATE_VERIFY_FAILED") }
                ? (.certificateRejected, "the certificate could not be verified")
                : (.protocolViolation, "TLS handshake failed")
        case .handshakeFailed: (.reset, "the connection ended within the TLS handshake")
        case .unableToValidateCertificate, .noCertificateToValidate, .cannotMatchULabel, .cannotFindPeerIP:
            (.certificateRejected, "the certificate could not be verified")
        case .uncleanShutdown: (.reset, "the connection ended without TLS close")
        default: (.protocolViolation, "TLS failed: \(error)")
        }
    }
}
