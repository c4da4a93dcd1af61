public import Services

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The permissions of a program on Linux: it may use a device whose node it may open.
///
/// Linux asks nobody, and the rights of a node do not change by asking: a request looks again. The status of a node that is not there
/// is not determined, since the device may be connected later; a request grants its use, which then fails as not found.
public struct DeviceNodePermissions: PermissionAuthority {
    private let nodes: [DevicePermission: String]
    private let mayOpen: @Sendable (_ path: String) -> Int32

    /// Creates the authority over two device nodes.
    ///
    /// - Parameters:
    ///   - camera: The camera's node.
    ///   - microphone: The node of a sound card's input; `nil` for one that is none of this machine's, which is granted.
    public init(camera: String = "/dev/video0", microphone: String? = "/dev/snd/pcmC0D0c") {
        self.init(camera: camera, microphone: microphone) { path in
            unsafe access(path, R_OK | W_OK) == 0 ? 0 : errno
        }
    }

    /// Creates the authority over nodes that a test answers for.
    ///
    /// - Parameter mayOpen: Answers 0 where a node may be read and written, and an error number where not.
    package init(
        camera: String,
        microphone: String?,
        mayOpen: @escaping @Sendable (_ path: String) -> Int32
    ) {
        nodes = [.camera: camera, .microphone: microphone].compactMapValues(\.self)
        self.mayOpen = mayOpen
    }

    /// Whether the node may be opened: denied where it is there and may not, or where its folder may not be entered.
    public func status(of permission: DevicePermission) -> PermissionStatus {
        guard let path = nodes[permission] else { return .granted }
        return switch mayOpen(path) {
        case 0: .granted
        case EACCES, EPERM, EROFS: .denied
        default: .notDetermined
        }
    }

    /// Looks again; what nothing forbids is granted.
    public func request(_ permission: DevicePermission) async -> PermissionStatus {
        status(of: permission) == .denied ? .denied : .granted
    }
}
