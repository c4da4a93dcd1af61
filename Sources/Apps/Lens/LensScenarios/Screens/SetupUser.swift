import Concurrency
import Lens
import LensScreens
import ScenarioKit
import ScreenKit
import Services

/// A user who sets up a new Wi-Fi camera in a window on the app.
@MainActor
final class SetupUser {
    let screens: LensScreens
    let app: LensApp
    private let camera: SimulatedWiFiCamera

    /// How long a label and a camera that join are waited for: longer than the app waits.
    static let patience = Duration.seconds(150)

    init(_ app: LensApp, _ camera: SimulatedWiFiCamera) {
        (self.app, self.camera) = (app, camera)
        screens = app.makeScreens()
        RunScreens.follow(screens.encoded)
        screens.appear()
    }

    /// Opens the sheet by choosing the Wi-Fi camera, and begins the setup.
    func begin() async throws {
        await screens.camera.send(.choose(.veepaWiFi))
        try check(
            screens.navigation.state.presentedSheet == .cameraDiscovery,
            "a camera that is not set up opens its sheet",
            "none is open"
        )
        await screens.setup.send(.start)
    }

    /// Holds the label up until it was read; false when the local camera does not see it.
    func showLabel() async throws -> Bool {
        try camera.holdLabel(true)
        let isRead = await reaches { $0.step != .scanning }
        try camera.holdLabel(false)
        return isRead && screens.setup.state.step == .labelRead
    }

    /// Enters the Wi-Fi network.
    func enter(_ wifi: WiFiAccess) async {
        await screens.setup.send(
            .showCode(network: wifi.name, password: EnteredSecret(wifi.password.reveal()))
        )
    }

    /// Waits for a state of the setup, longer than the app waits for anything; false when it does not come.
    func reaches(
        within limit: Duration = SetupUser.patience,
        _ isIt: (CameraSetupScreen.State) -> Bool
    ) async -> Bool {
        let end = ContinuousClock.now + limit
        while !isIt(screens.setup.state) {
            guard ContinuousClock.now < end else { return false }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return true
    }

    /// Goes through all of it; false where an alert has said why not.
    func setUp() async throws -> Bool {
        try await begin()
        guard try await showLabel() else { return false }
        await enter(SimulatedWiFiCamera.wifi)
        _ = await reaches { [.idle, .labelRead].contains($0.step) }
        let status = app.camera.status.value
        return status.source == .veepaWiFi && status.state == .connected
    }
}
