-- Refusals of pending actions by people. They forbid nothing, and no worker reads them. `seq`: of the note in the ledger. `body`: digest,
-- actor and reason; `bound`: the digests of the actions. `at`: ms since the epoch.
CREATE TABLE setpoint.refusals (
  estate text NOT NULL,
  seq bigint NOT NULL,
  scope text NOT NULL,
  generation integer NOT NULL,
  at bigint NOT NULL,
  body json NOT NULL,
  bound json NOT NULL,
  PRIMARY KEY (estate, seq)
);
