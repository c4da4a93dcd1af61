import Services
import SupabaseStorage
import Testing

@Suite("Identity of a store")
struct IdentityTests {
    private func identity(_ address: String?, bucket: String = "media", key: String? = nil) -> String {
        SupabaseConfiguration(projectURL: address, bucket: bucket, key: key.map { Secret($0) }).identity
    }

    @Test func `one store has one identity, however its address is written and whatever key opens it`() {
        let identity = identity("https://abcd.supabase.co")
        #expect(identity == "https://abcd.supabase.co/media")
        for other in [
            "https://abcd.supabase.co/", "HTTPS://ABCD.supabase.co", "https://abcd.supabase.co:443",
            "https://user:pass@abcd.supabase.co/?apikey=x",
        ] {
            #expect(self.identity(other) == identity)
        }
        #expect(self.identity("https://abcd.supabase.co", key: "other") == identity)
    }

    @Test func `two stores have two identities`() {
        let identities = [
            identity("https://abcd.supabase.co"), identity("https://abcd.supabase.co", bucket: "other"),
            identity("http://abcd.supabase.co"), identity("https://abcd.supabase.co:8443"),
            identity("https://abcd.supabase.co/path"), identity(nil),
        ]
        #expect(Set(identities).count == identities.count)
    }
}
