import Services
import Testing

@Suite("Secrets in what services say")
struct RedactionTests {
    private let secret = Secret("gr3at+secret")

    @Test(
        "a secret is replaced wherever it stands, plain or as in a URL, also before an accent that changes its last letter",
        arguments: [
            ("key gr3at+secret is wrong", "key <secret> is wrong"),
            ("gr3at+secretgr3at+secret", "<secret><secret>"),
            ("?key=gr3at%2Bsecret&x", "?key=<secret>&x"), ("gr3at+secret\u{301}", "<secret>\u{301}"),
            ("e\u{301}gr3at+secret", "e\u{301}<secret>"), ("gr3at+secre", "gr3at+secre"), ("", ""),
        ]
    )
    func replaced(text: String, expected: String) {
        let redacted = secret.redacted(from: text)
        #expect(Array(redacted.utf8) == Array(expected.utf8))
    }

    @Test(
        "a secret with an accent is replaced however the accent is written",
        arguments: ["pass\u{e9}word", "passe\u{301}word", "pass%C3%A9word"]
    )
    func accents(_ written: String) {
        #expect(Secret("pass\u{e9}word").redacted(from: "wrong: \(written)!") == "wrong: <secret>!")
    }
}
