import PeerKit

extension SupabaseServer {
    /// Refuses every request of a project whose objects take more than its quota.
    ///
    /// The status and the words are those of reports from users of the hosted service; that they stand in a JSON member `message` is not
    /// verified. There it counts the average of a billing period, and takes effect after a time of grace; here it counts what is stored.
    func restriction() -> PeerAnswer? {
        guard let quota = project.storageQuota, store.byteCount > quota else { return nil }
        return .json(
            [
                "message":
                    "Service for this project is restricted due to the following violations: exceed_storage_size_quota. The project owner must upgrade their plan or remove spend caps to restore service."
            ],
            status: 402
        )
    }
}
