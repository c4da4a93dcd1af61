/// All scenarios, by name.
public enum ScenarioCatalogue {
    /// Every scenario, in the order in which they are listed.
    public static let all: [Scenario] = [
        .lensStreaming, .lensDropResumes, .lensFarewells, .lensRoughStream, .lensImpatient, .lensUpload,
        .lensStoreDown, .lensPowerCut, .lensCameras,
    ]

    /// The scenario of that name.
    public static func named(_ name: String) -> Scenario? { all.first { $0.name == name } }
}
