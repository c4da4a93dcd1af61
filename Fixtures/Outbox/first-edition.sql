-- The tables and rows of the first edition of the queue, in each of its states.
CREATE TABLE schemaStep (name TEXT PRIMARY KEY NOT NULL);
INSERT INTO schemaStep VALUES ('outbox-1'), ('outbox-2-hold'), ('outbox-3-recovery');
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
CREATE TABLE outboxHold (
    queue TEXT PRIMARY KEY NOT NULL,
    until REAL NOT NULL,
    wait REAL NOT NULL
);
ALTER TABLE outbox ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN isTransient INTEGER NOT NULL DEFAULT 0;
INSERT INTO outbox (
    queue, identity, idempotencyKey, payload, state, attempts, failures, seriesFailures, lastError, receipt, due, lease,
    addedAt, crashes, isTransient)
VALUES
    ('letters', 'waits', '00000000-0000-0000-0000-000000000001', CAST('{"text":"1","kind":""}' AS BLOB), 'pending',
        0, 0, 0, NULL, NULL, NULL, NULL, 700000000.25, 0, 0),
    ('letters', 'was in work', '00000000-0000-0000-0000-000000000002', CAST('{"text":"2","kind":""}' AS BLOB), 'uploading',
        1, 0, 0, NULL, NULL, NULL, '00000000-0000-0000-0000-0000000000AA', 700000000.25, 0, 0),
    ('letters', 'is done', '00000000-0000-0000-0000-000000000003', CAST('{"text":"3","kind":""}' AS BLOB), 'completed',
        1, 0, 0, NULL, CAST('"receipt"' AS BLOB), NULL, NULL, 700000000.25, 0, 0),
    ('letters', 'due', '00000000-0000-0000-0000-000000000004', CAST('{"text":"4","kind":""}' AS BLOB), 'failed',
        1, 1, 1, '503', NULL, 700000100.0, NULL, 700000000.25, 0, 1),
    ('letters', 'failed', '00000000-0000-0000-0000-000000000005', CAST('{"text":"5","kind":""}' AS BLOB), 'failed',
        1, 1, 1, '403: no', NULL, NULL, NULL, 700000000.25, 0, 0),
    ('letters', 'poison', '00000000-0000-0000-0000-000000000006', CAST('{"text":"6","kind":""}' AS BLOB), 'failed',
        3, 0, 0, '3 times', NULL, NULL, NULL, 700000000.25, 3, 0),
    ('others', 'waits', '00000000-0000-0000-0000-000000000007', CAST('{"text":"7","kind":""}' AS BLOB), 'pending',
        0, 0, 0, NULL, NULL, NULL, NULL, 700000000.25, 0, 0);
