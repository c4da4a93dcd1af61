import Foundation
import HTTPTypes
import JPEG
import PNG
import Services
import SupabaseServer
import Testing
import Transport

@Suite("Simulated Supabase: pictures in other sizes")
struct PictureTests {
    /// A picture whose left half is red and whose right half is blue.
    private static func halves(_ width: Int, _ height: Int) -> PixelBuffer {
        let picture = PixelBuffer(size: PixelSize(width: width, height: height), layout: .rgb)
        unsafe picture.withMutableBytes { bytes in
            for pixel in 0..<width * height {
                let isLeft = pixel % width < width / 2
                for (channel, value) in [isLeft ? 255 : 0, 0, isLeft ? 0 : 255].enumerated() {
                    unsafe bytes[3 * pixel + channel] = UInt8(value)
                }
            }
        }
        return picture
    }

    /// The pixel at a place, as red, green and blue.
    private func pixel(_ picture: PixelBuffer, _ x: Int, _ y: Int) -> [Int] {
        unsafe picture.withBytes { bytes in
            let start = (y * picture.size.width + x) * 3
            return unsafe bytes[start..<start + 3].map { Int($0) }
        }
    }

    private func isNear(_ pixel: [Int], _ wanted: [Int]) -> Bool {
        zip(pixel, wanted).allSatisfy { abs($0 - $1) <= 12 }
    }

    private func store(
        _ bytes: [UInt8],
        at key: String,
        as type: String,
        in bucket: String = "media",
        _ wire: Wire
    ) async {
        let reply = await wire.send(
            .post,
            "/object/\(bucket)/\(key)",
            headers: ["content-type": type, "cache-control": "max-age=9"],
            body: .bytes(bytes)
        )
        #expect(reply.status == 200)
    }

    /// A project with a red and blue picture of 200 × 100 as `a.jpg` and `a.png`.
    private func wire() async throws -> Wire {
        let wire = try Wire()
        let picture = Self.halves(200, 100)
        await store(try JPEGEncoder().encode(picture, quality: 95), at: "a.jpg", as: "image/jpeg", wire)
        await store(try PNGEncoder.encode(picture), at: "a.png", as: "image/png", wire)
        return wire
    }

    private func decoded(_ reply: Wire.Reply) throws -> PixelBuffer {
        PNGDecoder.begins(reply.bytes)
            ? try PNGDecoder.decode(reply.bytes) : try JPEGDecoder().decode(reply.bytes, layout: .rgb)
    }

    @Test(
        arguments: [
            ("", 200, 100), ("width=100", 100, 50), ("height=20", 40, 20), ("width=0", 200, 100),
            // It fills the size, and what is beyond it goes.
            ("width=50&height=50", 50, 50), ("width=50&height=50&resize=cover", 50, 50),
            ("width=50&height=50&resize=contain", 50, 25), ("width=50&height=50&resize=fill", 50, 50),
            ("width=50&resize=fill", 50, 100), ("width=33&height=7&resize=contain", 14, 7),
            // It never gets larger.
            ("width=400", 200, 100), ("width=400&height=400&resize=contain", 200, 100),
            ("width=100&height=200", 100, 100), ("width=400&height=100&resize=fill", 200, 50),
            ("width=9999", 200, 100), ("width=1&height=1", 1, 1),
        ]
    )
    func `a picture gets the size that is asked for, by its shape`(query: String, width: Int, height: Int)
        async throws
    {
        let wire = try await wire()
        for (key, type) in [("a.jpg", "image/jpeg"), ("a.png", "image/png")] {
            let reply = await wire.send(.get, "/render/image/public/media/\(key)?\(query)", key: .some(nil))
            #expect(reply.status == 200 && reply.headers[.contentType] == type, "\(reply.text)")
            #expect(try decoded(reply).size == PixelSize(width: width, height: height))
        }
    }

    @Test func `the middle of a picture is kept where it fills a size, and all of it where it lies within`()
        async throws
    {
        let wire = try await wire()
        for (resize, edge) in [("cover", 5), ("contain", 1), ("fill", 1)] {
            let query = "width=50&height=50&resize=\(resize)"
            let picture = try decoded(await wire.send(.get, "/render/image/public/media/a.png?\(query)"))
            let (last, row) = (picture.size.width - 1, picture.size.height / 2)
            #expect(isNear(pixel(picture, edge, row), [255, 0, 0]))
            #expect(isNear(pixel(picture, last - edge, row), [0, 0, 255]))
        }
        // Of a row of four colours, the outer ones go.
        let four = PixelBuffer(size: PixelSize(width: 4, height: 1), layout: .rgb)
        unsafe four.withMutableBytes { bytes in
            for place in bytes.indices { unsafe bytes[place] = UInt8(place / 3 * 60) }
        }
        await store(try PNGEncoder.encode(four), at: "four.png", as: "image/png", wire)
        let reply = await wire.send(.get, "/render/image/public/media/four.png?width=2&height=1")
        let middle = try decoded(reply)
        #expect(middle.size == PixelSize(width: 2, height: 1))
        #expect(pixel(middle, 0, 0) == [60, 60, 60] && pixel(middle, 1, 0) == [120, 120, 120])
    }

    @Test func `the quality counts for JPEG, and answers say what was done`() async throws {
        let wire = try await wire()
        var sizes: [Int] = []
        for quality in [20, 100] {
            let path = "/render/image/public/media/a.jpg?width=100&quality=\(quality)&resize=contain"
            let reply = await wire.send(.get, path)
            sizes.append(reply.bytes.count)
            #expect(reply.header("x-transformations") == "width:100,resizing_type:fit,quality:\(quality)")
            #expect(reply.headers[.cacheControl] == "max-age=9" && reply.headers[.eTag]?.isEmpty == false)
        }
        #expect(sizes[0] < sizes[1])
        let head = await wire.send(.head, "/render/image/public/media/a.jpg?width=100")
        #expect(head.status == 200 && head.bytes.isEmpty && head.headers[.contentLength] != nil)
        let saved = await wire.send(.get, "/render/image/public/media/a.jpg?width=10&download=b.jpg")
        #expect(saved.headers[.contentDisposition]?.hasPrefix("attachment; filename=b.jpg") == true)
    }

    @Test func `who may not read an object may not see it smaller`() async throws {
        let wire = try await wire()
        let picture = try PNGEncoder.encode(Self.halves(8, 8))
        await store(picture, at: "a.png", as: "image/png", in: "vault", wire)
        let path = "/render/image/authenticated/vault/a.png?width=4"
        #expect(try decoded(await wire.send(.get, path)).size == PixelSize(width: 4, height: 4))
        #expect(await wire.send(.get, path, key: wire.project.anonymousKey).refusal[1] == "404")
        #expect(await wire.send(.get, path, key: .some(nil)).refusal == ["400", "400", "Error"])
        let open = await wire.send(.get, "/render/image/public/vault/a.png?width=4")
        #expect(open.refusal == ["400", "404", "Bucket not found"])
        #expect(await wire.send(.get, "/render/image/public/media/none.png").refusal[2] == "not_found")
        #expect(await wire.send(.post, "/render/image/public/media/a.png").status == 404)
    }

    @Test func `a signed address shows the picture as it was signed, whatever its query says`() async throws {
        let wire = try await wire()
        let sign = "/object/sign/media/a.png"
        let body = "{\"expiresIn\":60,\"transform\":{\"width\":40,\"height\":\"40\",\"resize\":\"contain\"}}"
        let address = try #require(await wire.send(.post, sign, json: body)["signedURL"])
        #expect(address.hasPrefix("/render/image/sign/media/a.png?token="))
        let reply = await wire.send(.get, address + "&width=4&height=4", key: .some(nil))
        #expect(try decoded(reply).size == PixelSize(width: 40, height: 20))
        #expect(reply.headers[.expires] != nil)
        let token = address.drop { $0 != "?" }
        let other = await wire.send(.get, "/render/image/sign/media/a.jpg\(token)", key: .some(nil))
        #expect(other.refusal == ["400", "400", "InvalidSignature"])
        let plain = "{\"expiresIn\":60}"
        #expect(await wire.send(.post, sign, json: plain)["signedURL"]?.hasPrefix("/object/sign/") == true)
        for wrong in [
            "\"transform\":7", "\"transform\":{\"width\":\"wide\"}", "\"transform\":{\"quality\":5}",
        ] {
            let refused = await wire.send(.post, sign, json: "{\"expiresIn\":60,\(wrong)}")
            #expect(refused.refusal == ["400", "400", "Error"])
        }
    }

    @Test(
        arguments: [
            ("width=wide", "querystring/width must be integer"),
            ("height=-1", "querystring/height must be >= 0"),
            ("quality=19", "querystring/quality must be >= 20"),
            ("quality=101", "querystring/quality must be <= 100"),
            ("resize=stretch", "querystring/resize must be equal to one of the allowed values"),
            ("format=gif", "querystring/format must be equal to one of the allowed values"),
            ("width=99999999999999999999", "querystring/width must be integer"),
        ]
    )
    func `options that the service does not have are refused`(query: String, message: String) async throws {
        let reply = await (try wire()).send(.get, "/render/image/public/media/a.png?\(query)")
        #expect(reply.refusal == ["400", "400", "Error"] && reply["message"] == message)
    }

    @Test func `what is no picture, or one of too many pixels, is refused and stays as it is`() async throws {
        let wire = try await wire()
        let images = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/Images")
        for (number, file) in [
            "PNG/huge.png", "folder/broken-text.jpg", "folder/broken-cmyk.jpg", "folder/broken-empty.jpg",
            "clip.avi",
        ].enumerated() {
            let bytes = Array(try Data(contentsOf: images.appending(path: file)))
            await store(bytes, at: "\(number)", as: "image/jpeg", wire)
            let reply = await wire.send(.get, "/render/image/public/media/\(number)?width=10")
            #expect(reply.refusal == ["400", "422", "ImageProcessingError"], "\(file)")
            #expect(await wire.send(.get, "/object/public/media/\(number)").bytes == bytes)
        }
        let format = await wire.send(.get, "/render/image/public/media/a.png?format=avif")
        #expect(format.refusal[1] == "422")
        #expect(await wire.send(.get, "/render/image/public/media/a.png?format=origin").status == 200)
    }
}
