-- Refusals of a cloud that repeat, by address: when the same action is tried again.
CREATE TABLE setpoint.backoffs (
  estate text NOT NULL,
  scope text NOT NULL,
  address text NOT NULL,
  digest text NOT NULL,
  generation integer NOT NULL,
  failures integer NOT NULL,
  said json NOT NULL,
  until timestamptz NOT NULL,
  PRIMARY KEY (estate, scope, address)
);
