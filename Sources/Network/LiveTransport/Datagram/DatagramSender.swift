import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Sends datagrams on the calling thread, through a descriptor of its own of a channel's socket.
///
/// Through the channel every datagram would wake the event loop, and its outcome the sender. The descriptor is a copy, so that
/// nobody else closes it, and its number never stands for another file while it is in use.
final class DatagramSender: Sendable {
    enum Outcome {
        case sent
        /// The system has no room now; the channel knows how to wait.
        case busy
        case failed(IOError)
    }

    /// `nil` when closed.
    private let descriptor: Mutex<CInt?>

    /// Copies the descriptor of a channel; `nil` when it has none to give.
    ///
    /// On the channel's event loop.
    init?(of channel: any Channel) {
        let copy = try? channel.pipeline.syncOperations
            .withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { handle in
                fcntl(handle, F_DUPFD_CLOEXEC, 0)
            }
        guard let copy, copy >= 0 else { return nil }
        descriptor = Mutex(copy)
    }

    deinit { close() }

    /// Sends one datagram, whole or not at all; a closed socket is `busy`, and the channel says that it is closed.
    func send(_ bytes: [UInt8], to address: NIOCore.SocketAddress) -> Outcome {
        descriptor.withLock { descriptor in
            guard let descriptor else { return .busy }
            while true {
                let sent = unsafe address.withSockAddr { name, length in
                    unsafe bytes.withUnsafeBytes { payload in
                        unsafe sendto(
                            descriptor,
                            payload.baseAddress,
                            payload.count,
                            CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL),
                            name,
                            socklen_t(length)
                        )
                    }
                }
                if sent >= 0 { return .sent }
                switch errno {
                case EINTR: continue
                case EAGAIN, ENOBUFS: return .busy
                case let code: return .failed(IOError(errnoCode: code, reason: "sendto"))
                }
            }
        }
    }

    /// Gives up the descriptor, and with it the port once the channel has.
    func close() {
        descriptor.withLock { descriptor in
            if let descriptor { _ = Glibc.close(descriptor) }
            descriptor = nil
        }
    }
}
