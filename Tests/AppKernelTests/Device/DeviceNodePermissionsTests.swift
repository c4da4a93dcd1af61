import AppKernel
import Files
import Foundation
import Services
import TestSupport
import Testing

@Suite("Permissions by device nodes")
struct DeviceNodePermissionsTests {
    @Test(
        arguments: [
            (0, PermissionStatus.granted), (EACCES, .denied), (EPERM, .denied), (ENOENT, .notDetermined),
            (ENOTDIR, .notDetermined),
        ] as [(Int32, PermissionStatus)]
    )
    func
        `a node that may be opened is granted, one that may not is denied, and one that is not there fails when it is used`(
            error: Int32,
            status: PermissionStatus
        ) async
    {
        let permissions = DeviceNodePermissions(camera: "/dev/video7", microphone: "/dev/mic") { path in
            path == "/dev/video7" ? error : 0
        }
        #expect(permissions.status(of: .camera) == status)
        // Nobody forbids a device that is not there.
        #expect(await permissions.request(.camera) == (status == .denied ? .denied : .granted))
        #expect(permissions.status(of: .microphone) == .granted)
    }

    @Test func `the system is asked about the nodes themselves`() throws {
        let folder = try TemporaryFolder()
        try FileFolder(path: folder.path).create("video0", bytes: [])
        let permissions = DeviceNodePermissions(
            camera: folder.file("video0"),
            microphone: folder.file("missing")
        )
        #expect(permissions.status(of: .camera) == .granted)
        #expect(permissions.status(of: .microphone) == .notDetermined)
        let browser = DeviceNodePermissions(camera: folder.file("video0"), microphone: nil)
        #expect(browser.status(of: .microphone) == .granted)
    }
}
