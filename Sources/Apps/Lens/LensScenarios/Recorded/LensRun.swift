import Lens
public import ScenarioKit
import Services

/// How the program `lens` is run while it is recorded.
public struct LensRun: Configurable {
    /// The name under which runs stand in recordings.
    public static let name = "lens"
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        .pictures(\.input), .model(\.model),
        Setting("autoUpload", \.autoUpload, "Photos are uploaded without asking, at first."),
        Setting("hasModelKey", \.hasModelKey, "There is a key of the model."),
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
    /// Whether the store's key is known at the start.
    public var hasStoreKey = true

    /// The simulated run.
    public init() {}

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
