-- What happened, for those who watch. Numbers are given before a transaction ends and rows are seen after it, so a row may
-- come to be seen behind one with a higher number: who reads on goes by (tx, number), and only below the oldest transaction
-- that still runs.
CREATE TABLE setpoint.happenings (
  tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
  number bigint GENERATED ALWAYS AS IDENTITY,
  at bigint NOT NULL,
  estate text NOT NULL,
  type text NOT NULL CHECK (type IN ('resource', 'pass', 'generation', 'word')),
  targets text[],
  owner text,
  about json NOT NULL,
  PRIMARY KEY (tx, number)
);

-- The newest of those that are not kept any more.
CREATE TABLE setpoint.forgotten_happenings (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  tx xid8 NOT NULL DEFAULT '0',
  number bigint NOT NULL DEFAULT 0
);
INSERT INTO setpoint.forgotten_happenings DEFAULT VALUES;
