internal import Services

extension NetworkCamera {
    /// What the setup of a new camera uses in an app: its local camera, its engine, and what it keeps.
    package func setupParts(_ codes: CameraCodes, on camera: CameraRouter) -> CameraSetupParts {
        CameraSetupParts(
            openPictures: { () async throws(CameraError) in try await camera.borrowLocal() },
            closePictures: { await camera.returnLocal() },
            codes: codes,
            engine: engine,
            connect: { (credentials, kept) async throws(CameraError) in
                try await setUp(credentials, on: camera, kept: kept)
            }
        )
    }
}
