public import ScenarioKit
public import Services

/// A story about the app, its phone and its services.
public protocol LensScenario: Scenario {
    /// The camera's picture size.
    var size: PixelSize { get set }
    /// Frames a second that are streamed; the app's own where a scenario does not say.
    var streamRate: Int { get }
    /// Whether the camera gives ready JPEG files; it does not where a scenario does not say.
    var usesPreparedFrames: Bool { get }
}

extension LensScenario {
    /// The rate of a first run of the app.
    public var streamRate: Int { LensOptions().streamRate }

    /// The camera draws its pictures.
    public var usesPreparedFrames: Bool { false }

    /// Reads recordings of former versions too.
    public static func current(_ recorded: [String: String]) -> [String: String] {
        currentNames(of: recorded)
    }
}

extension ScenarioCatalogue {
    /// The scenarios of the app, and its demonstration.
    public static let lens = ScenarioCatalogue(
        [
            LensStreaming.self, LensDropResumes.self, LensFarewells.self, LensRoughStream.self,
            LensImpatient.self, LensUpload.self, LensStoreDown.self, LensPowerCut.self, LensCameras.self,
            LensWiFiCamera.self, LensFarCamera.self, LensCameraSetup.self, LensFirstUse.self, LensUser.self,
            LensChat.self,
            LensFiles.self,
        ],
        programs: [RecordedDemo.self, RecordedLens.self]
    )
}

extension LensOptions {
    /// What a scenario's settings ask for.
    init(_ scenario: some LensScenario) throws {
        self.init()
        size = scenario.size
        streamRate = scenario.streamRate
        if scenario.usesPreparedFrames { scene = .prepared(try PreparedFrames.make(size: size)) }
    }
}
