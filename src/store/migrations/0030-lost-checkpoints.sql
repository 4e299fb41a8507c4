-- Estates whose ledger ends before a checkpoint that a signer keeps outside the database: after a restored backup, or a failover to a
-- replica that lagged. Until a person accepts the loss, nothing is deleted, replaced or stopped there. `held`: the number of the
-- newest checkpoint in the database, 0 for none; `signed`: of the newest outside it; `signed_at`, `found_at`: ms since the epoch.
CREATE TABLE setpoint.lost_checkpoints (
  estate text PRIMARY KEY REFERENCES setpoint.estates (name),
  held bigint NOT NULL,
  signed bigint NOT NULL,
  signed_at bigint NOT NULL,
  found_at bigint NOT NULL
);
