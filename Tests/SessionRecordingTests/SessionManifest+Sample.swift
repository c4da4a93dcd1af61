import SessionRecording

extension SessionManifest {
    static let sample = SessionManifest(
        scenario: "sample",
        fidelity: .simulated,
        seed: .max,
        parameters: ["seconds": "3"],
        startOfTime: 17,
        recordedBy: "test"
    )
}
