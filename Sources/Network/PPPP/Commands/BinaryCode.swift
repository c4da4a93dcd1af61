/// The numbers of commands of the binary dialect; answers have ``reply`` set besides.
///
/// Source: aiopppp 0.2.3 and cam-reverse.
package enum BinaryCode: UInt16, Sendable, CaseIterable {
    case status = 0x1008
    case checkUser = 0x1020
    case startVideo = 0x3010
    case stopVideo = 0x3011
    case videoParameter = 0x3018
    case setWiFi = 0x6001
    case scanWiFi = 0x6003

    /// What makes a command's number that of its answer.
    package static let reply: UInt16 = 0x0100

    /// The number of the answer.
    package var answer: UInt16 { rawValue | Self.reply }
}

/// The body of a login.
package struct BinaryLogin: Sendable, Hashable {
    package static let userBytes = 32
    package static let passwordBytes = 128
    package var user: String
    package var password: String

    package init(user: String, password: String) { (self.user, self.password) = (user, password) }

    /// Whether both fit their fields.
    package var fits: Bool { user.utf8.count <= Self.userBytes && password.utf8.count <= Self.passwordBytes }

    package init?(_ body: [UInt8]) {
        var reader = WireReader(body)
        guard let user = reader.text(Self.userBytes), let password = reader.text(Self.passwordBytes) else {
            return nil
        }
        self.init(user: user, password: password)
    }

    package var body: [UInt8] {
        var body: [UInt8] = []
        body.append(user, field: Self.userBytes)
        body.append(password, field: Self.passwordBytes)
        return body
    }
}

/// The body of the answer to a login, and of others without the ticket: a number, 0 where all is well.
package struct BinaryResult: Sendable, Hashable {
    package var result: UInt32
    /// What every later command must carry; 0 where there is none.
    package var ticket: UInt32

    package init(_ result: UInt32, ticket: UInt32 = 0) { (self.result, self.ticket) = (result, ticket) }

    package init?(body: [UInt8]) {
        var reader = WireReader(body)
        guard let result = reader.little32() else { return nil }
        (self.result, ticket) = (result, reader.little32() ?? 0)
    }

    package var body: [UInt8] {
        var body: [UInt8] = []
        body.append(little: result)
        if ticket != 0 { body.append(little: ticket) }
        return body
    }
}

/// The body of a status: 124 bytes, of which these are read and the rest is 0.
package struct BinaryStatus: Sendable, Hashable {
    static let byteCount = 124
    /// Four numbers, the most significant first.
    package var version: [UInt8]
    package var uptime: UInt32
    package var name: String

    package init(version: [UInt8], uptime: UInt32, name: String) {
        (self.version, self.uptime, self.name) = (version, uptime, name)
    }

    package init?(_ body: [UInt8]) {
        var reader = WireReader(body)
        guard body.count >= Self.byteCount, let version = reader.bytes(4), reader.bytes(12) != nil,
            let uptime = reader.little32(), reader.bytes(4) != nil, let name = reader.text(64)
        else { return nil }
        self.init(version: version.reversed(), uptime: uptime, name: name)
    }

    package var body: [UInt8] {
        var body = Array(version.prefix(4).reversed())
        body += repeatElement(0, count: 16 - body.count)
        body.append(little: uptime)
        body += repeatElement(0, count: 4)
        body.append(name, field: 64)
        body += repeatElement(0, count: Self.byteCount - body.count)
        return body
    }
}

/// One row of the answer to a scan for Wi-Fi networks: 92 bytes.
package struct BinaryWiFi: Sendable, Hashable {
    static let byteCount = 0x5C
    package static let nameBytes = 64
    package var name: String
    package var security: UInt32
    package var strength: UInt32
    package var channel: UInt32

    package init(name: String, security: UInt32, strength: UInt32, channel: UInt32) {
        (self.name, self.security, self.strength, self.channel) = (name, security, strength, channel)
    }

    /// Reads as many rows as there are, at most `count`.
    package static func rows(_ body: [UInt8], count: Int) -> [BinaryWiFi] {
        var reader = WireReader(body)
        var rows: [BinaryWiFi] = []
        while rows.count < count, let row = reader.bytes(byteCount) {
            var fields = WireReader(row)
            guard let name = fields.text(nameBytes), fields.bytes(8) != nil, let security = fields.little32(),
                let strength = fields.little32(), fields.bytes(8) != nil, let channel = fields.little32()
            else { break }
            rows.append(BinaryWiFi(name: name, security: security, strength: strength, channel: channel))
        }
        return rows
    }

    package var body: [UInt8] {
        var body: [UInt8] = []
        body.append(name, field: Self.nameBytes)
        body += repeatElement(0, count: 8)
        body.append(little: security)
        body.append(little: strength)
        body += repeatElement(0, count: 8)
        body.append(little: channel)
        return body
    }
}

/// The body with which a camera is made to join a Wi-Fi network: 264 bytes.
package struct BinaryWiFiChoice: Sendable, Hashable {
    static let byteCount = 264
    package static let nameBytes = 32
    package static let passwordBytes = 128
    package var name: String
    package var password: String
    package var security: UInt32
    package var channel: UInt32

    package init(name: String, password: String, security: UInt32, channel: UInt32) {
        (self.name, self.password, self.security, self.channel) = (name, password, security, channel)
    }

    /// Whether name and password fit their fields.
    package var fits: Bool { name.utf8.count <= Self.nameBytes && password.utf8.count <= Self.passwordBytes }

    package init?(_ body: [UInt8]) {
        var reader = WireReader(body)
        guard body.count >= Self.byteCount, reader.bytes(0x0C) != nil, let channel = reader.little32(),
            let security = reader.little32(), reader.bytes(4) != nil, let name = reader.text(Self.nameBytes),
            let password = reader.text(Self.passwordBytes)
        else { return nil }
        self.init(name: name, password: password, security: security, channel: channel)
    }

    package var body: [UInt8] {
        var body = Array(repeating: UInt8(0), count: 0x0C)
        body.append(little: channel)
        body.append(little: security)
        // By DHCP.
        body.append(little: UInt32(1))
        body.append(name, field: Self.nameBytes)
        body.append(password, field: Self.passwordBytes)
        body += repeatElement(0, count: Self.byteCount - body.count)
        return body
    }
}
