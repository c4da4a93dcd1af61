internal import AppKernel
public import Observation
public import Services

/// The camera screen.
@MainActor
@Observable
public final class CameraViewModel {
    /// The chosen camera and its connection.
    public private(set) var status: CameraRouter.Status = CameraRouter.Status()
    /// The photo that was taken last.
    public private(set) var lastPhoto: MediaItem?
    /// Whether a camera is being connected or a photo taken.
    public private(set) var isLoading: Bool = false
    /// What the camera did wrong last.
    public private(set) var error: CameraError?
    /// Why the last photo was not taken, or not queued for upload.
    public private(set) var captureFailure: String?

    private let camera: CameraRouter
    private let photos: PhotoCapture
    private let uploads: UploadQueue
    private let settings: SettingsStore
    private let observation = OwnedTasks()

    /// Creates the view model.
    public init(camera: CameraRouter, photos: PhotoCapture, uploads: UploadQueue, settings: SettingsStore) {
        self.camera = camera
        self.photos = photos
        self.uploads = uploads
        self.settings = settings
        status = camera.status.value
    }

    /// Starts to follow the camera; ``startCamera()`` connects it.
    public func onAppear() {
        observation.replace(with: [
            follow(camera.status) { model, status in model.status = status }
        ])
    }

    /// Stops to follow the camera.
    public func onDisappear() { observation.cancelAll() }

    /// Connects the chosen camera.
    public func startCamera() async {
        await load { () async throws(CameraError) in try await self.camera.connect() }
    }

    /// Disconnects the camera.
    public func stopCamera() async {
        await camera.disconnect()
        status = camera.status.value
    }

    /// Changes to another camera.
    public func switchTo(_ type: CameraSourceType) async {
        await load { () async throws(CameraError) in try await self.camera.switchTo(type) }
    }

    /// Takes a photo, and queues it when uploads are automatic.
    public func capturePhoto() async {
        isLoading = true
        defer { isLoading = false }
        let wantsUpload = settings.current.value.autoUpload
        do throws(PhotoCaptureError) {
            let item = try await photos.capture(wantsUpload: wantsUpload)
            lastPhoto = item
            captureFailure = nil
            if wantsUpload { upload(item) }
        } catch {
            captureFailure = error.description
        }
    }

    /// Queues an item for upload.
    public func upload(_ item: MediaItem) {
        do { try uploads.add(item) } catch { captureFailure = error.description }
    }

    /// Closes the error alerts.
    public func dismissError() {
        error = nil
        captureFailure = nil
    }

    private func load(_ work: () async throws(CameraError) -> Void) async {
        isLoading = true
        defer {
            isLoading = false
            status = camera.status.value
        }
        do throws(CameraError) {
            try await work()
            error = nil
        } catch {
            self.error = error
        }
    }
}

extension CameraViewModel: Following {}
