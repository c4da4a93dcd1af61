import Foundation

/// The symbols of one compiled file, in ELF for 64 bits, little endian (System V ABI, chapter 4).
struct ObjectFile {
    struct Unreadable: Error { var path: String }

    /// Names that other files can use, and that this one defines.
    private(set) var exported: Set<String> = []

    init(path: String) throws {
        let data = try Data(contentsOf: URL(filePath: path))
        guard data.prefix(6) == Data([0x7f, 0x45, 0x4c, 0x46, 2, 1]) else { throw Unreadable(path: path) }
        let sections = try Self.sections(in: data, path)
        guard let symbols = sections.first(where: { $0.type == 2 }), symbols.link < sections.count else {
            throw Unreadable(path: path)
        }
        let names = sections[symbols.link]
        for place in stride(from: symbols.offset, to: symbols.offset + symbols.size, by: 24) {
            let (info, other) = (data[place + 4], data[place + 5])
            let isGlobal = info >> 4 == 1 || info >> 4 == 2  // STB_GLOBAL, STB_WEAK
            let isDefined = Self.number(data, place + 6, bytes: 2) != 0
            guard isGlobal, isDefined, other & 3 == 0 else { continue }  // STV_DEFAULT
            let name = data[(names.offset + Self.number(data, place, bytes: 4))...].prefix { $0 != 0 }
            exported.insert(String(decoding: name, as: UTF8.self))
        }
    }

    private static func sections(in data: Data, _ path: String) throws
        -> [(type: Int, offset: Int, size: Int, link: Int)]
    {
        let (table, size, count) = (
            number(data, 0x28, bytes: 8), number(data, 0x3a, bytes: 2), number(data, 0x3c, bytes: 2)
        )
        guard count > 0, table + size * count <= data.count else { throw Unreadable(path: path) }
        return (0..<count).map { index in
            let place = table + index * size
            return (
                number(data, place + 4, bytes: 4), number(data, place + 0x18, bytes: 8),
                number(data, place + 0x20, bytes: 8), number(data, place + 0x28, bytes: 4)
            )
        }
    }

    private static func number(_ data: Data, _ place: Int, bytes: Int) -> Int {
        data[place..<place + bytes].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
