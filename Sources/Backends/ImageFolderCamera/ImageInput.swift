import Foundation
public import JPEG

/// Pictures on disk: a folder of JPEG files, or a Motion-JPEG movie.
///
/// Only the list is held in memory.
public struct ImageInput: Sendable {
    /// Where one picture lies.
    struct Entry: Sendable, Equatable {
        /// The name for reports.
        var name: String
        var path: String
        var offset: Int
        var count: Int
    }

    /// Bounds on what is read.
    public struct Limits: Sendable {
        /// How large a picture may be; 11,999 pixels on a side by default.
        public var picture = JPEGLimits(maximumSide: 11_999, maximumArea: JPEGLimits.standard.maximumArea)
        /// How many bytes one JPEG file may have.
        public var pictureByteCount = 64 << 20
        /// How many pictures, and how many rejections, are listed; further ones are left out.
        public var entryCount = 1_000_000

        /// Creates the default limits.
        public init() {}
    }

    /// What was named.
    public let path: String
    /// What was left out so far, in order.
    public internal(set) var rejected: [RejectedFile] = []
    /// How many pictures there are, some of which may turn out to be damaged when they are decoded.
    public var count: Int { entries.count }

    var entries: [Entry] = []
    let limits: Limits

    /// Lists the pictures at `path` and checks each one's header and end, without decoding.
    ///
    /// - Parameters:
    ///   - path: A folder, whose .jpg and .jpeg files are taken in natural order of their names, or a .mjpeg, .mjpg,
    ///     .avi or .mov file.
    ///   - limits: Bounds on what is read.
    /// - Throws: ``ImageInputError``; nothing is thrown for single broken pictures while one good one is left.
    public init(path: String, limits: Limits = Limits()) throws(ImageInputError) {
        self.path = path
        self.limits = limits
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw .missing(path: path)
        }
        let candidates: [Entry] =
            switch URL(filePath: path).pathExtension.lowercased() {
            case _ where isFolder.boolValue: try listFolder()
            case "mjpeg", "mjpg": try MotionJPEGFile.entries(of: ByteFile(path: path), limits)
            case "avi": try AVIFile.entries(of: ByteFile(path: path), limits)
            case "mov": try QuickTimeFile.entries(of: ByteFile(path: path), limits)
            default: throw .unknownKind(path: path)
            }
        try check(candidates)
        guard !entries.isEmpty else { throw .noPictures(path: path, rejected: rejected) }
    }

    /// Notes a picture that is of no use, up to the limit on their number.
    mutating func reject(_ name: String, _ reason: RejectedFile.Reason) {
        if rejected.count < limits.entryCount { rejected.append(RejectedFile(name: name, reason: reason)) }
    }

    private mutating func listFolder() throws(ImageInputError) -> [Entry] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw ImageInputError(error, path: path)
        }
        var found: [Entry] = []
        for name in names.sorted(by: NaturalOrder.precedes).prefix(limits.entryCount)
        where !name.hasPrefix(".") {
            let url = URL(filePath: path).appending(path: name)
            guard ["jpg", "jpeg"].contains(url.pathExtension.lowercased()) else {
                reject(name, .notAPicture)
                continue
            }
            do {
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: url.resolvingSymlinksInPath().path
                )
                guard attributes[.type] as? FileAttributeType == .typeRegular else {
                    reject(name, .unreadable("not a regular file"))
                    continue
                }
                let count = (attributes[.size] as? NSNumber)?.intValue ?? 0
                found.append(Entry(name: name, path: url.path, offset: 0, count: count))
            } catch {
                reject(name, .unreadable(error.localizedDescription))
            }
        }
        return found
    }

    /// Keeps the entries whose header and end are sound.
    private mutating func check(_ candidates: [Entry]) throws(ImageInputError) {
        let decoder: JPEGDecoder
        do {
            decoder = try JPEGDecoder(limits: limits.picture)
        } catch {
            throw .unreadable(path: path, reason: error.description)
        }
        var file: ByteFile?
        for entry in candidates {
            if entry.count == 0 {
                reject(entry.name, .empty)
                continue
            }
            if entry.count > limits.pictureByteCount {
                reject(entry.name, .tooManyBytes(entry.count, limit: limits.pictureByteCount))
                continue
            }
            do throws(ImageInputError) {
                if file?.path != entry.path { file = try ByteFile(path: entry.path) }
                guard let file else { continue }
                if let error = try Self.fault(of: entry, in: file, decoder) {
                    reject(entry.name, .jpeg(error))
                } else {
                    entries.append(entry)
                }
            } catch {
                reject(entry.name, .unreadable(error.description))
            }
        }
    }

    /// What the header or the end says against an entry.
    private static func fault(
        of entry: Entry,
        in file: ByteFile,
        _ decoder: JPEGDecoder
    ) throws(ImageInputError) -> JPEGError? {
        // Cameras put up to a few hundred kilobytes of thumbnails and profiles before the frame header.
        for room in [64 << 10, entry.count] {
            let beginning = try file.read(min(room, entry.count), at: entry.offset)
            do throws(JPEGError) {
                _ = try decoder.acceptableHeader(of: beginning)
                break
            } catch {
                if beginning.count >= entry.count { return error }
                if case .undecodable = error { continue }
                return error
            }
        }
        // Some writers pad a file with zeros.
        let tail = min(4_096, entry.count)
        let end = try file.read(tail, at: entry.offset + entry.count - tail)
        let last = end.lastIndex { $0 != 0 } ?? 0
        let isComplete = last >= 1 && end[last] == 0xD9 && end[last - 1] == 0xFF
        return isComplete ? nil : .truncated(byteCount: entry.count)
    }
}
