import Crypto
import Files
import Foundation
import Services

/// A file with the key of a file of secrets; while the key is being replaced, with both.
///
/// `LENSKEYF`, one or two keys of 32 bytes, and the first 8 bytes of the SHA-256 of all that.
struct KeyFile {
    let path: String
    let files: any PrivateFileSystem

    static let magic = Array("LENSKEYF".utf8)
    private static let hashCount = 8

    /// The keys in the file, the newest first; none when there is no file.
    ///
    /// - Throws: `exposedKeyFile`, `damagedKeyFile`, `unavailable`.
    func read() throws(SecretStoreError) -> [SymmetricKey] {
        let reading: PrivateReading
        do {
            reading = try files.readWithAccess(path, upTo: 4096)
        } catch {
            switch error.code {
            case .missing where !files.contains(path): return []
            case .tooLarge, .missing: throw .damagedKeyFile(keyFile: path)
            default: throw .unavailable(detail: error.description)
            }
        }
        guard reading.isPrivate else { throw .exposedKeyFile(keyFile: path) }
        let (bytes, end) = (reading.bytes, reading.bytes.count - Self.hashCount)
        let keys = end - Self.magic.count
        guard bytes.starts(with: Self.magic), [MasterKey.count, 2 * MasterKey.count].contains(keys),
            bytes[end...].elementsEqual(Self.hash(bytes[..<end]))
        else { throw .damagedKeyFile(keyFile: path) }
        return stride(from: Self.magic.count, to: end, by: MasterKey.count).map {
            SymmetricKey(data: bytes[$0..<$0 + MasterKey.count])
        }
    }

    /// Writes keys in the place of those that are there.
    func write(_ keys: [SymmetricKey]) throws(SecretStoreError) {
        var bytes = Self.magic
        for key in keys { unsafe key.withUnsafeBytes { unsafe bytes += Array($0) } }
        bytes += Self.hash(bytes[...])
        do { try files.replacePrivately(path, with: bytes) } catch {
            throw .unavailable(detail: error.description)
        }
    }

    /// A new key.
    static func makeKey() -> SymmetricKey { SymmetricKey(data: MasterKey.random(MasterKey.count)) }

    private static func hash(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        Array(SHA256.hash(data: bytes).prefix(hashCount))
    }
}

extension PrivateFileSystem {
    /// Replaces a file by one for its owner alone, durably: after a crash at any moment it is the old one or the new one.
    func replacePrivately(_ path: String, with bytes: [UInt8]) throws(FileFailure) {
        let temporary = "\(path).partial"
        do throws(FileFailure) {
            let file = try createPrivateFile(temporary)
            defer { file.close() }
            try file.write(bytes)
            try file.sync()
            try rename(temporary, to: path)
        } catch {
            _ = try? remove(temporary)
            throw error
        }
        let folder = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
        try syncFolder(folder.isEmpty ? "/" : String(folder))
    }
}
