import AppKernel
import GRDB
import Lens

extension AppFixture {
    /// Begins to note every write of a message.
    func noteSaves() throws {
        try database.write("note what is saved") {
            try $0.execute(
                sql: """
                    CREATE TABLE saved (role TEXT);
                    CREATE TRIGGER added AFTER INSERT ON chatMessage
                    BEGIN INSERT INTO saved VALUES (json_extract(CAST(NEW.body AS TEXT), '$.role')); END;
                    CREATE TRIGGER changed AFTER UPDATE ON chatMessage
                    BEGIN INSERT INTO saved VALUES ('changed'); END;
                    """
            )
        }
    }

    /// The roles of the messages that were saved since, one for each time; `changed` where a message took another's place.
    func saves() throws -> [String] {
        try database.read("look") { try String.fetchAll($0, sql: "SELECT role FROM saved ORDER BY rowid") }
    }
}
