import ScenarioKit
import Services

extension Setting {
    /// How long a scenario streams.
    static func seconds(
        _ value: any WritableKeyPath<Owner, Int> & Sendable,
        in range: ClosedRange<Int> = 1...864_000
    ) -> Self { Setting("seconds", value, in: range, "Seconds to stream.") }

    /// How often a picture is streamed.
    static func fps(_ value: any WritableKeyPath<Owner, Int> & Sendable) -> Self {
        Setting("fps", value, in: 1...60, "Frames a second to stream.")
    }

    /// How large pictures are.
    static func size(_ value: any WritableKeyPath<Owner, PixelSize> & Sendable) -> Self {
        Setting(
            "size",
            value,
            values: "a width and a height from 160x90 to 7680x4320",
            "Size of the camera's pictures.",
            text: \.text,
            read: PixelSize.init(text:)
        )
    }

    /// The pictures that are seen instead of the fake camera's.
    ///
    /// Where they lie on somebody's machine is nobody else's business: a recording only says that there were some.
    static func pictures(_ value: any WritableKeyPath<Owner, String?> & Sendable) -> Self {
        Setting(
            "input",
            value,
            values: "nothing, or pictures",
            "Pictures to stream.",
            text: { $0 == nil ? "" : "pictures" },
            read: { $0.isEmpty ? .some(nil) : $0 }
        )
    }

    /// The live model that is asked.
    static func model(_ value: any WritableKeyPath<Owner, String> & Sendable) -> Self {
        Setting(
            "model",
            value,
            values: "a model's name",
            "The live model that is asked.",
            text: { $0 },
            read: { DemoSettings.isModelName($0) ? $0 : nil }
        )
    }

    /// Whether pictures are there already.
    static func prepared(_ value: any WritableKeyPath<Owner, Bool> & Sendable) -> Self {
        Setting("prepared", value, "Stream ready JPEG files instead of making a picture each time.")
    }
}

extension Configurable {
    /// Brings the names of former recordings up to date.
    ///
    /// Those had the same five settings for every scenario; what a scenario does not have now decided nothing in it then.
    static func currentNames(of recorded: [String: String]) -> [String: String] {
        var settings = recorded
        let (width, height) = (settings.removeValue(forKey: "width"), settings.removeValue(forKey: "height"))
        let rate = settings.removeValue(forKey: "streamRate")
        guard width != nil || height != nil || rate != nil else { return recorded }
        let usual = Self().settingTexts["size"]?.split(separator: "x").map(String.init) ?? []
        if width != nil || height != nil {
            settings["size"] = "\(width ?? usual.first ?? "")x\(height ?? usual.last ?? "")"
        }
        settings["fps"] = rate
        let known = Set(Self.settings.map(\.name))
        for name in ["seconds", "size", "fps", "prepared"] where !known.contains(name) {
            settings[name] = nil
        }
        return settings
    }
}
