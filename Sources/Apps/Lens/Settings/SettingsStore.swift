public import AppKernel
public import Services

/// The settings, published at once and kept in the preference store.
///
/// A stored value that cannot be read counts as not set.
public final class SettingsStore: Sendable {
    /// The names under which settings are kept.
    public enum Key: String, Sendable, CaseIterable {
        case videoResolution, autoUpload, framesPerSecond, speechEnabled, lastCameraSource
    }

    /// The present settings.
    public var current: Published<LensSettings> { settings.published }
    /// Why the last reading or writing failed; `nil` after one that did not.
    public var failure: Published<PreferenceStoreError?> { lastFailure.published }

    private let settings: CurrentValue<LensSettings>
    private let lastFailure: CurrentValue<PreferenceStoreError?>
    private let preferences: any PreferenceStore

    /// Reads the settings; on failure they are those of a first run, and ``failure`` tells why.
    public init(_ preferences: any PreferenceStore) {
        self.preferences = preferences
        do throws(PreferenceStoreError) {
            settings = CurrentValue(try Self.load(preferences))
            lastFailure = CurrentValue(nil)
        } catch {
            settings = CurrentValue(LensSettings())
            lastFailure = CurrentValue(error)
        }
    }

    /// Changes settings, publishes them, and keeps what has changed; what cannot be kept holds until the app ends.
    public func update(_ change: (inout LensSettings) -> Void) {
        let (old, new) = settings.update { settings in
            let old = settings
            change(&settings)
            return (old, settings)
        }
        let (before, after) = (Self.texts(of: old), Self.texts(of: new))
        do throws(PreferenceStoreError) {
            for key in Key.allCases where before[key] != after[key] {
                try preferences.set(after[key], for: key.rawValue)
            }
            if failure.value != nil { lastFailure.set(nil) }
        } catch {
            lastFailure.set(error)
        }
    }

    private static func texts(of settings: LensSettings) -> [Key: String] {
        [
            .videoResolution: settings.videoResolution.rawValue,
            .autoUpload: String(settings.autoUpload),
            .framesPerSecond: String(settings.framesPerSecond),
            .speechEnabled: String(settings.speechEnabled),
            .lastCameraSource: settings.lastCameraSource.rawValue,
        ]
    }

    private static func load(_ store: any PreferenceStore) throws(PreferenceStoreError) -> LensSettings {
        var settings = LensSettings()
        func text(_ key: Key) throws(PreferenceStoreError) -> String? { try store.value(for: key.rawValue) }
        settings.videoResolution =
            try text(.videoResolution).flatMap(VideoResolution.init) ?? settings.videoResolution
        settings.autoUpload = try text(.autoUpload).flatMap { Bool($0) } ?? settings.autoUpload
        settings.framesPerSecond = try text(.framesPerSecond).flatMap { Int($0) } ?? settings.framesPerSecond
        settings.speechEnabled = try text(.speechEnabled).flatMap { Bool($0) } ?? settings.speechEnabled
        settings.lastCameraSource =
            try text(.lastCameraSource).flatMap(CameraSourceType.init) ?? settings.lastCameraSource
        return settings
    }
}
