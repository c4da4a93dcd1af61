import GeminiAPI
import Lens
public import ScenarioKit
import Services
import SimulatedDevice
import Transport

/// How the program `lens` is run while it is recorded.
public struct LensRun: Configurable {
    /// The name under which runs stand in recordings.
    public static let name = "lens"
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        .pictures(\.input), .model(\.model),
        Setting("autoUpload", \.autoUpload, "Photos are uploaded without asking, at first."),
        Setting("hasModelKey", \.hasModelKey, "There is a key of the model."),
        Setting("takesModelKey", \.takesModelKey, "The model takes the key that the user keeps."),
        Setting("hasStoreKey", \.hasStoreKey, "There is a key of the store."),
    ]

    /// Photographs, a Motion-JPEG file or a video device, which is a path in `/dev`, instead of the fake camera.
    public var input: String?
    /// The live model that is asked, with or without `models/`.
    public var model = LensOptions.modelName
    /// Whether photos are uploaded without asking, until the user chooses.
    public var autoUpload = true
    /// Whether the model's key is known at the start.
    public var hasModelKey = true
    /// Whether the model takes the key that the user keeps; a simulated one has its own.
    public var takesModelKey = false
    /// Whether the store's key is known at the start.
    public var hasStoreKey = true

    /// The simulated run.
    public init() {}

    /// The app, over what a session gives it.
    func phone(
        _ addresses: LensAddresses,
        transport: any Transport,
        camera: any CameraSource,
        folder: String,
        speech: any SpeechSynthesizer & SpeechRecognizer & Microphone
    ) throws -> LensPhone {
        var addresses = addresses
        var modelSecrets: InMemorySecretStore?
        if !takesModelKey {
            modelSecrets = InMemorySecretStore(addresses.geminiKey.map { [ModelKey.name: $0] } ?? [:])
            addresses.geminiKey = nil
        }
        return try LensPhone(
            options,
            addresses: addresses,
            transport: transport,
            camera: camera,
            modelSecrets: modelSecrets,
            folder: folder,
            databasePath: folder + "/lens.sqlite",
            speech: speech,
            // Whatever folder a recording names, nothing is written there.
            storeCopy: folder + "/store"
        )
    }

    /// What the app is configured with.
    var options: LensOptions {
        var options = LensOptions()
        options.size = PixelSize(width: 640, height: 360)
        options.scene = input.map { .input(path: $0) } ?? .room
        // Photographs are shown one a second, so that each of them is seen.
        if input != nil { options.cameraRate = 1 }
        options.autoUpload = autoUpload
        options.adjust = { [model] in $0.streaming.model = model }
        return options
    }
}
