import Lens
import LensScenarios
import SupabaseServer
import TestSupport
import Testing

@Suite("A store of one's own")
struct LiveOwnStoreTests {
    @Test
    func
        `a simulated store in a folder takes all that the app uploads, one in memory what a small plan takes`()
        throws
    {
        let folder = try TemporaryFolder()
        let own = try LensServers(LensOptions(), storeFolder: folder.path)
        #expect(own.supabase.project.sizeLimit > 100 << 30)
        #expect(try LensServers(LensOptions()).supabase.project.sizeLimit == 50_000_000)
    }
}
