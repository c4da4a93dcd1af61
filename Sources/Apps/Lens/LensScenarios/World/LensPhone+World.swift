import Lens
import ScenarioKit
import Services
import SimulatedDevice
import Simulation
import VeepaCamera

extension LensPhone {
    /// Installs the app on the device of a world, whose cameras are watched.
    ///
    /// - Throws: `DatabaseFailure`, or when TurboJPEG has no memory.
    convenience init(
        _ options: LensOptions,
        on device: WorldDevice,
        secrets: InMemorySecretStore,
        cameras: CameraWatch,
        wifiCamera: SimulatedWiFiCamera?
    ) throws {
        let seed = Simulation.current?.seed ?? 0
        let local = Self.camera(options, seed: seed)
        let camera = wifiCamera.map { LabelledCamera(local, $0.label) as any CameraSource } ?? local
        var networkCameras: DeviceEngine.Factory?
        if wifiCamera != nil {
            networkCameras = {
                WatchedNetworkCameras(base: VeepaCameras(network: device.transport), watch: cameras)
            }
        }
        try self.init(
            options,
            addresses: LensAddresses(device.authority),
            transport: device.transport,
            camera: cameras.watching(camera, as: CameraSourceType.local.rawValue),
            wifiCamera: cameras.watching(
                Self.camera(options.atSecondCamera, seed: seed),
                as: CameraSourceType.veepaWiFi.rawValue
            ),
            networkCameras: networkCameras,
            secrets: secrets,
            folder: device.folder,
            databasePath: options.keepsDatabase ? device.databasePath("lens.sqlite") : ":memory:",
            files: device.files,
            network: device.network
        )
    }
}
