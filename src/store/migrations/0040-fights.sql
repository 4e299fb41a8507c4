-- Drift of one field that was healed, and how often in a row: see core/fights.ts. `until`: the next healing waits until then. Times are
-- ms since the epoch. `targets` and `owner` are of its documents.
CREATE TABLE setpoint.fights (
  estate text NOT NULL,
  scope text NOT NULL,
  address text NOT NULL,
  field text NOT NULL,
  times integer NOT NULL,
  body json NOT NULL,
  closes boolean NOT NULL,
  targets text[] NOT NULL,
  owner text NOT NULL,
  since bigint NOT NULL,
  at bigint NOT NULL,
  until bigint NOT NULL,
  PRIMARY KEY (estate, scope, address, field)
);

ALTER TABLE setpoint.happenings DROP CONSTRAINT happenings_type_check;
ALTER TABLE setpoint.happenings ADD CONSTRAINT happenings_type_check
  CHECK (type IN ('resource', 'pass', 'generation', 'word', 'fight'));
