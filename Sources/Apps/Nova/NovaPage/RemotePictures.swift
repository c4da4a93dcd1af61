internal import Concurrency
internal import Foundation
internal import ServiceClient
internal import Transport

/// Pictures of posts and people, for a page that may load nothing from elsewhere.
///
/// Each is asked for once however many want it, at a ``PictureAddress`` alone and without a token, and kept for a while. Redirects are not followed.
/// What is kept is bounded by ``countLimit`` and ``byteLimit``: what was used longest ago goes first.
@MainActor
final class RemotePictures {
    /// A picture, and what it is.
    struct Picture: Sendable {
        var bytes: [UInt8]
        /// As `Content-Type` has it.
        var type: String
    }

    /// The most pictures that are kept.
    static let countLimit = 400
    /// The most bytes that all kept pictures have together.
    static let byteLimit = 64 << 20

    /// The longest file that is read, in bytes: more than a JPEG file of 2048 × 2048 pixels and quality 85 has.
    nonisolated static let longest = 8 << 20
    private nonisolated static let policy = CallPolicy(
        retries: CallPolicy.interactive.retries,
        limits: CallPolicy.interactive.limits,
        answerBytes: longest
    )

    private let http: any HTTPClient
    private let nova: @Sendable () -> ServiceAddress?
    private var pictures: [String: Picture] = [:]
    /// The addresses of the pictures, that first which was used longest ago.
    private var order: [String] = []
    private var bytes = 0
    private var underWay: [String: SharedTask<Picture?>] = [:]

    /// - Parameters:
    ///   - http: Fetches them.
    ///   - nova: Where Nova is; asked for each picture.
    init(over http: any HTTPClient, beside nova: @escaping @Sendable () -> ServiceAddress?) {
        (self.http, self.nova) = (http, nova)
    }

    /// The picture at an address; `nil` for what is none, for one that could not be had, and where the calling task ends before.
    func picture(at address: String) async -> Picture? {
        if let picture = pictures[address] {
            use(address)
            return picture
        }
        let task = task(for: address)
        let picture = await task.value() ?? nil
        if underWay[address] === task, task.isDone || task.isAbandoned { underWay[address] = nil }
        return picture
    }

    /// What a file is, by its first bytes; `nil` for what a browser shows in no other way than as a picture.
    nonisolated static func type(of file: [UInt8]) -> String? {
        if file.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        let isRIFF = file.starts(with: Array("RIFF".utf8))
        return isRIFF && file.dropFirst(8).starts(with: Array("WEBP".utf8)) ? "image/webp" : nil
    }

    private func task(for address: String) -> SharedTask<Picture?> {
        if let task = underWay[address], !task.isAbandoned { return task }
        let (http, place) = (http, PictureAddress(address, beside: nova()))
        let task = SharedTask<Picture?> { [weak self] _ in
            guard let place, let picture = await Self.fetch(place, over: http) else { return nil }
            await self?.keep(picture, of: address)
            return picture
        }
        underWay[address] = task
        return task
    }

    private nonisolated static func fetch(
        _ place: PictureAddress,
        over http: any HTTPClient
    ) async -> Picture? {
        var call = Call.get(place.path)
        (call.isAuthorized, call.repeats) = (false, .always)
        call.set("Accept", "image/jpeg, image/png, image/webp")
        let client = ServiceClient(http, policy: policy) { place.origin }
        guard let file = try? await client.answer(to: call).body else { return nil }
        return type(of: file).map { Picture(bytes: file, type: $0) }
    }

    private func keep(_ picture: Picture, of address: String) {
        bytes += picture.bytes.count - (pictures[address]?.bytes.count ?? 0)
        pictures[address] = picture
        use(address)
        while pictures.count > Self.countLimit || bytes > Self.byteLimit {
            bytes -= pictures.removeValue(forKey: order.removeFirst())?.bytes.count ?? 0
        }
    }

    private func use(_ address: String) {
        if let index = order.firstIndex(of: address) { order.remove(at: index) }
        order.append(address)
    }
}
