import Foundation
import PushServer
import SignedToken
import Testing

@Suite("Signatures of tokens")
struct SignerTests {
    private func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Source: RFC 6979 appendix A.2.5, with SHA-256.
    @Test(
        "repeatable signatures are those of RFC 6979",
        arguments: [
            (
                "sample",
                "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
                    + "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
            ),
            (
                "test",
                "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367"
                    + "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"
            ),
        ]
    )
    func vectors(_ message: String, _ signature: String) throws {
        let signer = RepeatableSigner(
            bytes("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721")
        )
        let made = try signer.signature(of: Array(message.utf8))
        #expect(made == bytes(signature))
        #expect(try signer.publicKey().isValid(made, for: Array(message.utf8)))
    }

    @Test func `the library accepts repeatable signatures of many keys and messages`() throws {
        for number in UInt8(1)...20 {
            let signer = RepeatableSigner([UInt8](repeating: number, count: 32))
            let message = [UInt8](repeating: number, count: Int(number) * 13)
            let signature = try signer.signature(of: message)
            #expect(try signer.publicKey().isValid(signature, for: message))
            #expect(try !signer.publicKey().isValid(signature, for: message + [0]))
        }
    }

    @Test func `a key is read from the PEM that it gives, and shows nothing of itself`() throws {
        let key = ES256PrivateKey()
        let again = try ES256PrivateKey(pem: key.revealPEM())
        let signature = try again.signature(of: [1, 2, 3])
        #expect(signature.count == 64 && key.publicKey.isValid(signature, for: [1, 2, 3]))
        #expect("\(key)" == "<private key>" && String(reflecting: key) == "<private key>")
        #expect(throws: TokenKeyError.unreadable) { try ES256PrivateKey(pem: "no key") }
    }

    @Test func `a token is cut into what was put in, and what is no token is refused`() throws {
        let signer = RepeatableSigner([UInt8](repeating: 9, count: 32))
        let text = try SignedToken.make(
            header: Array("{}".utf8),
            claims: Array(#"{"a":"?>~"}"#.utf8),
            by: signer
        )
        let token = try #require(SignedToken(text))
        #expect(token.header == Array("{}".utf8) && token.claims == Array(#"{"a":"?>~"}"#.utf8))
        #expect(try signer.publicKey().isValid(token.signature, for: token.signed))
        let long = String(repeating: "a", count: SignedToken.lengthMaximum)
        for wrong in ["", "a.b", "a.b.c.d", "a=.b.c", "a+.b.c", "!.b.c", long + ".b.c"] {
            #expect(SignedToken(wrong) == nil, "\(wrong.prefix(10))")
        }
    }
}
