public import Concurrency
public import Services
internal import Synchronization

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
    private let writer = Writer()
    /// What the store has, as far as is known: nothing of a setting that could not be written.
    private let kept: Mutex<[Key: String]>

    /// Where those wait who must not wait for a disk themselves, one after the other.
    private actor Writer {
        func keep(_ settings: SettingsStore) { settings.keep() }
    }

    /// Reads the settings; on failure they are those of a first run, and ``failure`` tells why.
    ///
    /// - Parameters:
    ///   - preferences: Keeps what is changed.
    ///   - initial: The settings of a first run, which are not kept: only what is changed later is.
    public init(_ preferences: any PreferenceStore, initial: LensSettings = LensSettings()) {
        self.preferences = preferences
        do throws(PreferenceStoreError) {
            settings = CurrentValue(try Self.load(preferences, over: initial))
            lastFailure = CurrentValue(nil)
        } catch {
            settings = CurrentValue(initial)
            lastFailure = CurrentValue(error)
        }
        kept = Mutex(Self.texts(of: settings.value))
    }

    /// Changes settings, publishes them, and keeps what has changed; what cannot be kept holds until the app ends, and is
    /// tried again with the next change.
    ///
    /// Waits for the disk where it is called; see ``change(_:)``.
    public func update(_ change: (inout LensSettings) -> Void) {
        settings.update(change)
        keep()
    }

    /// As ``update(_:)``, for callers on an actor that must not wait for a disk, such as screens.
    ///
    /// What is changed is published before this suspends, and kept when it returns, or ``failure`` tells why not.
    public func change(_ change: (inout LensSettings) -> Void) async {
        settings.update(change)
        await writer.keep(self)
    }

    /// One call after the other writes the newest settings, so that what was set last is what is kept.
    private func keep() {
        kept.withLock { kept in
            let texts = Self.texts(of: settings.value)
            let changed = Key.allCases.filter { kept[$0] != texts[$0] }
            do throws(PreferenceStoreError) {
                // Together: a crash must not leave one of two settings that were changed at once.
                if !changed.isEmpty {
                    try preferences.set(
                        Dictionary(uniqueKeysWithValues: changed.map { ($0.rawValue, texts[$0]) })
                    )
                }
                kept = texts
                if failure.value != nil { lastFailure.set(nil) }
            } catch {
                for key in changed { kept[key] = nil }
                lastFailure.set(error)
            }
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

    private static func load(
        _ store: any PreferenceStore,
        over initial: LensSettings
    ) throws(PreferenceStoreError) -> LensSettings {
        var settings = initial
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
