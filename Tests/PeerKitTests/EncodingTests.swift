import Crypto
import Foundation
import PeerKit
import Simulation
import Testing

@Suite("PeerKit: base64 and tokens")
struct EncodingTests {
    @Test func `base64 for URLs gives back any bytes`() {
        var random = EntropyStream(seed: 5, label: "base64")
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = Base64.urlEncoded(bytes)
            #expect(!text.contains { "+/=".contains($0) })
            #expect(Base64.decoded(url: text) == bytes)
            #expect(Base64.decoded(text) == bytes)
            #expect(Base64.decoded(Data(bytes).base64EncodedString()) == bytes)
        }
        #expect(Base64.decoded(url: "+A==") == nil && Base64.decoded(url: "-A==") == nil)
        #expect(Base64.decoded(url: "+A") == nil && Base64.decoded(url: "/A") == nil)
        #expect(Base64.decoded("a") == nil && Base64.decoded("a b c") == nil && Base64.decoded("é") == nil)
    }

    /// What is base64, in either alphabet, by Foundation alone.
    private func decodedByFoundation(_ text: String) -> [UInt8]? {
        if let data = Data(base64Encoded: text) { return Array(data) }
        var standard = text.replacing("-", with: "+").replacing("_", with: "/")
        while standard.hasSuffix("=") { standard.removeLast() }
        while !standard.utf8.count.isMultiple(of: 4) { standard += "=" }
        return Data(base64Encoded: standard).map(Array.init)
    }

    @Test func `base64 of any length is what Foundation says`() {
        var random = EntropyStream(seed: 6, label: "base64")
        for length in Array(0..<300) + [1000, 10_000, 150_000] {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = Data(bytes).base64EncodedString()
            #expect(Base64.decoded(text) == bytes)
            for cut in 1...min(5, text.count + 1) {
                let part = String(text.dropLast(cut))
                #expect(Base64.decoded(part) == decodedByFoundation(part))
                #expect(
                    Base64.decoded(text + String(repeating: "=", count: cut))
                        == decodedByFoundation(text + String(repeating: "=", count: cut))
                )
            }
        }
    }

    @Test func `base64 with any byte anywhere is what Foundation says`() {
        var random = EntropyStream(seed: 7, label: "base64")
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for length in [31, 32, 63, 64, 65, 96, 100, 160] {
            let text = (0..<length).map { _ in letters[Int.random(in: 0..<64, using: &random)] }
            for place in 0..<length {
                for byte in UInt8(0)..<128 {
                    var changed = text
                    changed[place] = byte
                    let text = String(decoding: changed, as: UTF8.self)
                    #expect(
                        Base64.decoded(text) == decodedByFoundation(text),
                        "\(byte) at \(place) of \(length)"
                    )
                }
                // Beyond ASCII a text has more bytes for a character.
                let text =
                    String(decoding: text[..<place], as: UTF8.self) + "é"
                    + String(decoding: text[place...], as: UTF8.self)
                #expect(Base64.decoded(text) == nil)
            }
        }
    }

    private let token = WebToken(secret: "a secret of some length")
    private let now = Date(timeIntervalSince1970: 1000)

    @Test func `a token says what was signed, in its time`() throws {
        let claims: [String: JSONValue] = ["sub": "é", "nbf": 1000, "exp": 1001]
        #expect(try token.verify(token.sign(claims), now: now) == claims)
        #expect(throws: WebToken.Refusal.expired) { try token.verify(token.sign(["exp": 1000]), now: now) }
        #expect(throws: WebToken.Refusal.early) { try token.verify(token.sign(["nbf": 1001]), now: now) }
        #expect(throws: WebToken.Refusal.expired) { try token.verify(token.sign(["exp": "x"]), now: now) }
        #expect(throws: WebToken.Refusal.signature) {
            try WebToken(secret: "another").verify(token.sign(claims), now: now)
        }
    }

    @Test func `a token of another implementation is read`() throws {
        // RFC 7515 appendix A.1, whose key holds bytes that are no text, signed again with a key that is.
        let signed =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        let key = SymmetricKey(data: Data("a secret of some length".utf8))
        let code = Data(HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: key))
        let text = "\(signed).\(Base64.urlEncoded(code))"
        #expect(try token.verify(text, now: now)["iss"] == "joe")
    }

    @Test func `no damaged token passes`() throws {
        let good = Array(token.sign(["sub": "somebody", "exp": 2000]).utf8)
        var random = EntropyStream(seed: 6, label: "tokens")
        for _ in 0..<2000 {
            var bytes = good
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[place] = bytes[place] ^ UInt8.random(in: 1...255, using: &random)
            case 1: bytes.remove(at: place)
            default: bytes.insert(UInt8.random(in: 33...126, using: &random), at: place)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            // The last character of a signature has bits that no byte uses; all other changes break it.
            if let claims = try? token.verify(text, now: now) {
                #expect(claims == ["sub": "somebody", "exp": 2000] && place == good.count - 1, "\(text)")
            }
        }
        for text in ["", ".", "..", "a.b", "a.b.c.d", String(repeating: "a", count: 10_000) + ".a.a"] {
            #expect(throws: WebToken.Refusal.malformed) { try token.verify(text, now: now) }
        }
    }
}
