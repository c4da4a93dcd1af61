import Glibc

/// Why the network of this machine cannot be watched.
public struct LinuxNetworkError: Error, Hashable, CustomStringConvertible {
    /// What was tried: a system call on the netlink socket.
    public var operation: String
    /// The error number of the system (errno(3)).
    public var number: Int32

    /// What was tried, what came back, and what it means.
    public var description: String {
        let reason = unsafe String(cString: strerror(number))
        return "could not \(operation) for links and routes: \(reason) (errno \(number)). "
            + "A sandbox may forbid AF_NETLINK; without it the network counts as there."
    }
}
