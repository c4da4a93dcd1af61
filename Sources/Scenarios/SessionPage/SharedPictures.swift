internal import Foundation
internal import SessionRecording

/// The pictures of a recording that a page in one file has, each once.
struct SharedPictures {
    /// Where they are among the files, by their paths.
    private(set) var places: [String: Int] = [:]
    /// As `data:` addresses.
    private(set) var files: [String] = []
    /// How many did not find room.
    var leftOut: Int { refused.count }
    private var refused: Set<UInt64> = []
    private var known: [[UInt8]: Int] = [:]
    private var bytes = 0

    /// Looks for the film, for what was sent to a live model, and for what states name.
    ///
    /// - Throws: `SessionError`.
    init(
        of recording: ReplayedScreens,
        _ film: RecordedFilm,
        names: Set<String>,
        stills: [Int64]
    ) throws {
        let session = recording.timeline.session
        let bodies = RecordedBodies(session)
        for number in try film.parts() {
            if let file = try film.picture(number) { add(file, at: "/film/\(number)") }
        }
        let segments = stills.map { "\($0)" } + names.compactMap(Self.segment).sorted()
        for group in recording.app.folders {
            for segment in segments {
                let paths = group.map { "/\($0)/\(segment)" }
                guard let first = paths.first,
                    case .file(let file)? = try recording.app.pictures(first[...], session, bodies)
                else { continue }
                for path in paths { add(file, at: path) }
            }
        }
    }

    /// A name as a part of a path, as `encodeURIComponent` of ECMAScript writes it.
    private static func segment(_ name: String) -> String? {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()"
        )
        return name.addingPercentEncoding(withAllowedCharacters: unreserved)
    }

    private mutating func add(_ file: [UInt8], at path: String) {
        if let place = known[file] {
            places[path] = place
            return
        }
        guard let type = ShownPicture.type(of: file) else { return }
        guard bytes + file.count <= SharedPage.mostPictureBytes else {
            refused.insert(ContentHash.current(file))
            return
        }
        bytes += file.count
        known[file] = files.count
        places[path] = files.count
        files.append("data:\(type);base64,\(Data(file).base64EncodedString())")
    }
}
