/// The tables behind every ``Outbox``.
///
/// Times are seconds since the start of 2001 in UTC, as `Date` itself counts, so that they survive to the bit.
enum OutboxSchema {
    /// The columns of an entry in the fourth edition; it is released, and never changes.
    private static let columns = """
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        queue TEXT NOT NULL,
        identity TEXT NOT NULL,
        lane TEXT NOT NULL,
        kind TEXT NOT NULL DEFAULT '',
        idempotencyKey TEXT NOT NULL,
        payload BLOB NOT NULL,
        version INTEGER NOT NULL DEFAULT 1,
        state TEXT NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        failures INTEGER NOT NULL DEFAULT 0,
        seriesFailures INTEGER NOT NULL DEFAULT 0,
        crashes INTEGER NOT NULL DEFAULT 0,
        reason TEXT,
        isTransient INTEGER NOT NULL DEFAULT 0,
        isSuperseded INTEGER NOT NULL DEFAULT 0,
        checkpoint BLOB,
        receipt BLOB,
        due REAL,
        revives REAL,
        expires REAL,
        turn REAL,
        lease TEXT,
        addedAt REAL NOT NULL
        """

    /// The indexes of that edition.
    private static let indexes = """
        CREATE UNIQUE INDEX outboxIdentity ON outbox (queue, identity) WHERE isSuperseded = 0;
        CREATE INDEX outboxTurn ON outbox (queue, kind, turn, id) WHERE turn IS NOT NULL;
        CREATE INDEX outboxLane ON outbox (queue, lane, id) WHERE state <> 'failed' OR isTransient <> 0;
        CREATE INDEX outboxLease ON outbox (queue, kind) WHERE lease IS NOT NULL;
        CREATE INDEX outboxDone ON outbox (queue, id) WHERE state = 'done';
        CREATE INDEX outboxExhausted ON outbox (queue, revives)
            WHERE state = 'failed' AND isTransient <> 0 AND due IS NULL;
        """

    /// What ``steps`` make together, for a file without a queue.
    static let whole = """
        CREATE TABLE outbox (\(columns), progress INTEGER NOT NULL DEFAULT 0, failedAt REAL);
        \(indexes)
        CREATE TABLE outboxOpening (queue TEXT PRIMARY KEY NOT NULL, number INTEGER NOT NULL);
        CREATE INDEX outboxSuperseded ON outbox (queue, identity) WHERE isSuperseded <> 0;
        CREATE INDEX outboxFailed ON outbox (queue, kind, failedAt) WHERE state = 'failed' AND isTransient = 0;
        \(OutboxHold.schema.sql)
        """

    static let steps = [
        SchemaStep(
            "outbox-1",
            sql: """
                CREATE TABLE outbox (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    queue TEXT NOT NULL,
                    identity TEXT NOT NULL,
                    idempotencyKey TEXT NOT NULL,
                    payload BLOB NOT NULL,
                    state TEXT NOT NULL,
                    attempts INTEGER NOT NULL DEFAULT 0,
                    failures INTEGER NOT NULL DEFAULT 0,
                    seriesFailures INTEGER NOT NULL DEFAULT 0,
                    lastError TEXT,
                    receipt BLOB,
                    due REAL,
                    lease TEXT,
                    addedAt REAL NOT NULL,
                    UNIQUE (queue, identity)
                );
                """
        ),
        OutboxHold.schema,
        SchemaStep(
            "outbox-3-recovery",
            sql: """
                ALTER TABLE outbox ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE outbox ADD COLUMN isTransient INTEGER NOT NULL DEFAULT 0;
                """
        ),
        // A constraint of a table cannot be changed, so the rows move to a new one.
        SchemaStep(
            "outbox-4-lanes",
            sql: """
                CREATE TABLE outboxEntry (\(columns));
                INSERT INTO outboxEntry (
                    id, queue, identity, lane, idempotencyKey, payload, state, attempts, failures, seriesFailures, crashes,
                    reason, isTransient, receipt, due, turn, addedAt)
                SELECT
                    id, queue, identity, '=' || identity, idempotencyKey, payload,
                    CASE state WHEN 'uploading' THEN 'inWork' WHEN 'completed' THEN 'done' ELSE state END,
                    attempts, failures, seriesFailures, crashes, lastError, isTransient, receipt, due,
                    CASE WHEN state = 'failed' THEN due ELSE coalesce(due, -1e15) END, addedAt
                FROM outbox;
                DROP TABLE outbox;
                ALTER TABLE outboxEntry RENAME TO outbox;
                \(indexes)
                CREATE TABLE outboxOpening (queue TEXT PRIMARY KEY NOT NULL, number INTEGER NOT NULL);
                """
        ),
        SchemaStep(
            "outbox-5-superseded",
            sql: "CREATE INDEX outboxSuperseded ON outbox (queue, identity) WHERE isSuperseded <> 0"
        ),
        SchemaStep(
            "outbox-6-progress",
            sql: "ALTER TABLE outbox ADD COLUMN progress INTEGER NOT NULL DEFAULT 0"
        ),
        // Of what has failed already nobody knows when it did.
        SchemaStep(
            "outbox-7-failures",
            sql: """
                ALTER TABLE outbox ADD COLUMN failedAt REAL;
                UPDATE outbox SET failedAt = addedAt WHERE state = 'failed' AND isTransient = 0;
                CREATE INDEX outboxFailed ON outbox (queue, kind, failedAt) WHERE state = 'failed' AND isTransient = 0;
                """
        ),
    ]
}
