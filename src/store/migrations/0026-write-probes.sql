-- One row for each process that asked lately whether the database takes writes.
CREATE TABLE setpoint.write_probes (
  process text PRIMARY KEY,
  at timestamptz NOT NULL
);

-- Earlier versions took failures of the database for faults of a pass: those quarantines end.
DELETE FROM setpoint.quarantine
WHERE why::text ~* '(no space left on device|could not (extend|write|open|read|fsync) file|deadlock detected|could not serialize access|could not obtain lock|canceling statement|terminating connection|the database system is)';
