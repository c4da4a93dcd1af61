import Exploration

/// A value whose stored properties can be set from outside, by name and as text.
///
/// It is coded as its settings, so that a recording, a file and the command line have the same names and texts.
public protocol Configurable: Codable, Sendable {
    /// The command-line name.
    static var name: String { get }
    /// What can be set, in the order in which it is listed; none unless the type says otherwise.
    static var settings: [Setting<Self>] { get }

    /// Makes one with the defaults of all settings.
    init()

    /// Brings what an older program recorded under the names of today; changes nothing unless the type says otherwise.
    static func current(_ recorded: [String: String]) -> [String: String]
}

extension Configurable {
    /// Has no settings.
    public static var settings: [Setting<Self>] { [] }

    /// Takes recorded settings as they are.
    public static func current(_ recorded: [String: String]) -> [String: String] { recorded }

    /// What can be set, in the order in which it is listed.
    public static var settingFacts: [SettingFacts] {
        let usual = Self()
        return settings.map { setting in
            SettingFacts(
                name: setting.name,
                help: setting.help,
                values: setting.values,
                standard: setting.text(usual),
                isSwitch: setting.isSwitch
            )
        }
    }

    /// Makes one with settings of those names; what is missing has its default.
    ///
    /// - Throws: ``SettingError``.
    public init(settings: [String: String]) throws(SettingError) {
        self.init()
        for (name, text) in settings.sorted(by: { $0.key < $1.key }) { try set(name, to: text) }
    }

    /// Gives a setting another value.
    ///
    /// - Throws: ``SettingError``.
    public mutating func set(_ name: String, to text: String) throws(SettingError) {
        guard let setting = Self.settings.first(where: { $0.name == name }) else {
            let known = Self.settings.map(\.name)
            throw .unknown(owner: Self.name, name: name, known: known)
        }
        guard setting.assign(&self, text) else {
            throw .impossible(name: name, value: text, values: setting.values)
        }
    }

    /// All settings as text, by name.
    public var settingTexts: [String: String] {
        // Of two with the same name, which a catalogue refuses, `set` knows only the first as well.
        Dictionary(Self.settings.map { ($0.name, $0.text(self)) }, uniquingKeysWith: { first, _ in first })
    }

    /// The options of the command line that make these settings of the defaults, each with a blank before it, and quoted
    /// for a shell where it has to be.
    public var arguments: String {
        let usual = Self()
        return Self.settings.reduce(into: "") { arguments, setting in
            let (name, text) = (setting.name, setting.text(self))
            guard text != setting.text(usual) else { return }
            if setting.isSwitch {
                arguments += text == "true" ? " --\(name)" : " --no-\(name)"
            } else {
                arguments += " --\(name) \(ShellWord.word(text))"
            }
        }
    }

    /// Reads its settings.
    ///
    /// - Throws: ``SettingError``, and what the decoder throws.
    public init(from decoder: any Decoder) throws {
        try self.init(settings: decoder.singleValueContainer().decode([String: String].self))
    }

    /// Writes its settings.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(settingTexts)
    }
}
