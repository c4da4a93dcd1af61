/// A code that brings a camera of the VStarcam family to a Wi-Fi network: all that it needs, or a part of it.
///
/// Source: the documented single form has the fields BS, P, U and RS in this order; a field report says that a camera did not read
/// it, and that the vendor's application shows parts in turn, each for half a second, with the network's name under S.
/// Nothing confirms that firmware reads escaped characters of JSON (`"` and `\`); a public client refuses them.
///
/// The name and the password are in no description.
public struct WiFiCode: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// How long each of the parts is shown.
    public static let period: Duration = .milliseconds(500)
    /// What stands for an access point whose address is not known.
    private static let unknownRouter = "NULL"

    /// The field that has the network's name.
    public enum NameField: String, Sendable, Hashable {
        /// In the documented form.
        case documented = "RS"
        /// In the parts that the vendor's application shows.
        case reported = "S"
    }

    /// The network's name (SSID), 1 to 32 bytes.
    public private(set) var name: String?
    /// Where the name stands.
    public private(set) var nameField: NameField = .documented
    /// The network's password: 8 to 63 bytes, or 64 hexadecimal digits.
    public private(set) var password: String?
    /// The access point's address, 12 hexadecimal digits; `NULL` where it is not known.
    public private(set) var router: String?
    /// The account at the vendor; `0` or empty for none.
    public private(set) var account: String?
    /// The region: 1 China, 2 Asia, 3 America, 4 Europe.
    public private(set) var region: Int?

    /// A code that says nothing, to which others are added.
    public init() {}

    /// Makes the code that has everything.
    ///
    /// - Parameters:
    ///   - name: The network's name.
    ///   - password: The network's password.
    ///   - router: The access point's address, with or without colons.
    ///   - account: The account at the vendor.
    ///   - region: The region.
    /// - Throws: `invalid`, which names RS, P, BS, U or A.
    public init(
        name: String,
        password: String,
        router: String? = nil,
        account: String = "0",
        region: Int? = nil
    ) throws(CodeError) {
        let router = router.map { $0.filter { $0 != ":" } } ?? Self.unknownRouter
        (self.name, self.password) = (try Self.name(name, "RS"), try Self.password(password))
        (self.router, self.account) = (try Self.router(router), try Self.account(account))
        self.region = try region.map { (region) throws(CodeError) in try Self.region(String(region)) }
    }

    /// Reads what a code says, of which all may be missing.
    ///
    /// Fields of other names are passed over.
    public init(_ bytes: [UInt8]) throws(CodeError) {
        let object = try CodeObject(bytes)
        for field in [NameField.reported, .documented] {
            guard let text = try object.text(field.rawValue) else { continue }
            (name, nameField) = (try Self.name(text, field.rawValue), field)
        }
        if let text = try object.text("P") { password = try Self.password(text) }
        if let text = try object.text("BS") { router = try Self.router(text) }
        if let text = try object.text("U") { account = try Self.account(text) }
        if let text = try object.text("A") { region = try Self.region(text) }
    }

    /// What the code says, in the order that is documented.
    public var text: String {
        let (documented, reported) = nameField == .documented ? (name, nil) : (nil, name)
        return CodeObject.text([
            ("BS", router), ("P", password), ("U", account), ("RS", documented), ("S", reported),
            ("A", region.map(String.init)),
        ])
    }

    /// Whether a camera can join a network by what it says.
    public var isComplete: Bool { name != nil && password != nil }

    /// Adds what another code says, which counts where both say something.
    public mutating func add(_ other: WiFiCode) {
        if let name = other.name { (self.name, nameField) = (name, other.nameField) }
        password = other.password ?? password
        router = other.router ?? router
        account = other.account ?? account
        region = other.region ?? region
    }

    /// The parts that the vendor's application is said to show in turn; what they have together is what this code has.
    public var parts: [WiFiCode] {
        var whole = self
        whole.nameField = .reported
        func part(_ keep: [PartialKeyPath<WiFiCode>]) -> WiFiCode {
            var part = whole
            if !keep.contains(\WiFiCode.name) { part.name = nil }
            if !keep.contains(\WiFiCode.password) { part.password = nil }
            if !keep.contains(\WiFiCode.router) { part.router = nil }
            if !keep.contains(\WiFiCode.account) { part.account = nil }
            if !keep.contains(\WiFiCode.region) { part.region = nil }
            return part
        }
        let first: [PartialKeyPath<WiFiCode>] = [\.router, \.password, \.account, \.name]
        var withoutAccount = part(first)
        withoutAccount.account = ""
        return [
            withoutAccount, part(first), part([\.router, \.account, \.region]), part([\.name, \.region]),
            part([\.password, \.region]),
        ]
    }

    /// Which fields it has.
    public var description: String {
        let fields = [
            ("BS", router != nil), ("P", password != nil), ("U", account != nil),
            (nameField.rawValue, name != nil), ("A", region != nil),
        ]
        return "<code with \(fields.filter(\.1).map(\.0).joined(separator: ", "))>"
    }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }

    // MARK: What fields may have

    private static func name(_ text: String, _ field: String) throws(CodeError) -> String {
        guard (1...32).contains(text.utf8.count) else {
            throw .invalid(field: field, reason: "has not 1 to 32 bytes")
        }
        try CodeObject.checkCharacters(text, field)
        return text
    }

    private static func password(_ text: String) throws(CodeError) -> String {
        let isKey = text.utf8.count == 64 && text.utf8.allSatisfy(isHexadecimal)
        guard (8...63).contains(text.utf8.count) || isKey else {
            throw .invalid(field: "P", reason: "has neither 8 to 63 bytes nor 64 hexadecimal digits")
        }
        try CodeObject.checkCharacters(text, "P")
        return text
    }

    private static func router(_ text: String) throws(CodeError) -> String {
        guard text == unknownRouter || text.utf8.count == 12 && text.utf8.allSatisfy(isHexadecimal) else {
            throw .invalid(field: "BS", reason: "has not 12 hexadecimal digits")
        }
        return text
    }

    private static func account(_ text: String) throws(CodeError) -> String {
        guard text.utf8.count <= 64 else { throw .invalid(field: "U", reason: "has more than 64 bytes") }
        try CodeObject.checkCharacters(text, "U")
        return text
    }

    private static func region(_ text: String) throws(CodeError) -> Int {
        guard let region = Int(text), (1...4).contains(region) else {
            throw .invalid(field: "A", reason: "is not 1 to 4")
        }
        return region
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
