import Foundation
import Synchronization

/// An open file or folder that nobody else can lock, until it is released or the process ends.
///
/// Advisory, as flock(2) has it: it keeps out those who ask, and hinders no reader.
package final class FileLock: Sendable {
    /// Why there is no lock.
    package enum Trouble: Error, Hashable {
        /// Somebody else holds it.
        case held
        /// The system refused, with this `errno`.
        case refused(Int32)

        /// The system's words.
        package var detail: String {
            switch self {
            case .held: "it is locked"
            case .refused(let number): unsafe String(cString: strerror(number))
            }
        }
    }

    private let descriptor: Mutex<Int32?>

    /// Opens a file or folder and locks it, without waiting.
    ///
    /// - Parameter flags: How to open it, as open(2) has it.
    package init(path: String, flags: Int32) throws(Trouble) {
        // A pipe must not wait for its other end, and a child process must not keep the lock.
        let opened = unsafe open(path, flags | O_NONBLOCK | O_CLOEXEC, 0o644)
        guard opened >= 0 else { throw .refused(errno) }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            close(opened)
            throw number == EWOULDBLOCK ? .held : .refused(number)
        }
        descriptor = Mutex(opened)
    }

    deinit { release() }

    /// Lets others have it.
    package func release() {
        descriptor.withLock { descriptor in
            if let open = descriptor {
                // A process that was forked meanwhile has the same open file, and would keep the lock until it ends.
                _ = flock(open, LOCK_UN)
                close(open)
            }
            descriptor = nil
        }
    }

    /// What the system knows about the locked file; `nil` when it is released.
    var status: stat? {
        descriptor.withLock { descriptor in
            var status = stat()
            guard let open = descriptor, unsafe fstat(open, &status) == 0 else { return nil }
            return status
        }
    }

    /// The first bytes of the locked file.
    func prefix(_ count: Int) -> [UInt8] {
        descriptor.withLock { descriptor in
            guard let open = descriptor else { return [] }
            var bytes = [UInt8](repeating: 0, count: count)
            let read = unsafe pread(open, &bytes, count, 0)
            return Array(bytes.prefix(max(0, read)))
        }
    }
}
