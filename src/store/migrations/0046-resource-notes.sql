-- Words of people on one resource: the assignment of the person who takes it on, and the newest comments. The ledger has all of them, and no
-- worker reads these. `seq`: of the note in the ledger. `scope`: a complete observation of it ends the assignment. `at`: ms since the epoch.
CREATE TABLE setpoint.resource_notes (
  estate text NOT NULL,
  seq bigint NOT NULL,
  type text NOT NULL CHECK (type IN ('assignment', 'comment')),
  address text NOT NULL,
  scope text NOT NULL,
  at bigint NOT NULL,
  body json NOT NULL,
  PRIMARY KEY (estate, seq)
);
CREATE INDEX resource_notes_by_address ON setpoint.resource_notes (estate, address);
CREATE UNIQUE INDEX one_assignee ON setpoint.resource_notes (estate, address) WHERE type = 'assignment';
